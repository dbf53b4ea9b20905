"""Timers that run `remem maintain` every day: systemd, launchd and cron."""
