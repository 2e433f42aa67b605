-- How an organisation requires people to sign in, and how the session was started that created a key, an agent or a
-- login of the command.

-- What people with a role in the organisation or on its games must have signed in with; null for anything.
alter table organisations add column required_sign_in text
  check (required_sign_in in ('second_factor', 'single_sign_on'));

-- Programs prove what the session proved in which a person created them. Null for those from before this migration.
alter table agent_keys add column sign_in_method text;
alter table agent_connections add column sign_in_method text;
alter table cli_login_requests add column sign_in_method text;
alter table cli_logins add column sign_in_method text;
