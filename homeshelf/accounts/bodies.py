from homeshelf.accounts.fields import (
    Family,
    Language,
    MailPreference,
    Name,
    NewPassword,
    OwnAddress,
    Password,
    Theme,
    TimeZone,
    Token,
)
from homeshelf.web.body import Body, Email, NewAddress, NewBody


class SignUp(NewBody):
    email: NewAddress
    password: NewPassword
    name: Name


class SignIn(NewBody):
    email: Email
    password: Password
    family_id: Family = None


class Refresh(NewBody):
    refresh_token: Token
    family_id: Family = None


class MailedToken(NewBody):
    token: Token


class Forgotten(NewBody):
    email: Email


class Reset(MailedToken):
    password: NewPassword


class NewPasswordForm(NewBody):
    password: NewPassword


class PasswordForm(NewPasswordForm):
    current_password: Password


class NewEmail(NewBody):
    email: NewAddress
    current_password: Password


class NameForm(NewBody):
    name: Name


class Profile(Body):
    name: Name = ""
    password: NewPassword = ""
    current_password: Password = ""


class Confirmation(NewBody):
    password: Password = ""


class AccountDeletionForm(Confirmation):
    confirm: OwnAddress


class Preferences(Body):
    theme: Theme = "auto"
    time_zone: TimeZone = "UTC"
    mail: MailPreference = "now"
    language: Language = "auto"
