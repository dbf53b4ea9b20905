"""Operations on a whole workspace, scope by scope: doctor, backup, restore, maintenance."""
