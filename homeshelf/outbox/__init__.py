"""Notifications, and the channels that send them."""
