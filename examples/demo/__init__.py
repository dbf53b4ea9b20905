"""The demo: real servers, a real client, and claims that are checked."""
