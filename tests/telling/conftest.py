from tests.mail.conftest import busy_workers, closed_office, house, office

__all__ = ["busy_workers", "closed_office", "house", "office"]
