-- Codes of authenticator apps can be used once: the time step (RFC 6238) of the newest accepted code of an account.
alter table user_two_factors add column last_used_step integer;
