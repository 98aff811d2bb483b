from tests.mail.conftest import busy_workers, closed_office, office, running

__all__ = ["busy_workers", "closed_office", "office", "running"]
