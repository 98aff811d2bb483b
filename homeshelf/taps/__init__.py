"""Tags that count down stock when tapped."""
