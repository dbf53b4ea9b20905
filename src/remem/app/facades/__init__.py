"""Operations on one topic of a workspace, reached by an attribute such as `workspace.facts`."""
