"""Which parts care for a workspace as a whole? Doctor, backup and restore, for its owner alone.

The rules are in `maintenance`; here they meet the databases, scope by scope.
"""
