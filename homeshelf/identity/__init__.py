"""People whom an identity provider vouches for, by OpenID Connect."""
