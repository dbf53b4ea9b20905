"""How does memory keep up with what is said and noted? One path, whatever sets it off."""
