-- The keys with which the installation signs what clients install. They belong to no game. The newest one signs; the
-- others are published for clients that know an older one.
create table signing_keys (
  -- The first 8 bytes of the SHA-256 of the public key, as hex digits.
  key_id text primary key,
  -- How often the key was changed before this one.
  generation integer not null unique,
  public_key bytea not null,
  sealed_private_key bytea not null,
  -- By which the previous key vouches for this one; null for the first key, and after a loss of the previous one.
  succession bytea,
  created_at timestamptz not null,
  check (generation >= 0 and (generation > 0 or succession is null))
);
