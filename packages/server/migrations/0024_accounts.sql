-- Display names as players may see them, and authorization codes that work once.

-- Names were stored unchecked. Line breaks and tabs become spaces; what is invisible or changes the reading order is removed; 80 characters
-- stay. The new rules are in packages/contract/src/display-name.ts.
create function clean_display_name(name text) returns text language sql immutable as $$
  select coalesce(nullif(btrim(left(btrim(regexp_replace(regexp_replace(name,
    '[\u0001-\u001F\u007F-\u00A0\u2028\u2029[:space:]]+', ' ', 'g'),
    '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u2800\u3164\uE000-\uF8FF\uFE00-\uFE0E\uFEFF\uFFA0\uFFF0-\uFFFB\U000E0000-\U000E0FFF\U000F0000-\U0010FFFF]+',
    '', 'g')), 80)), ''), 'Unnamed')
$$;

update users set name = clean_display_name(name) where name <> clean_display_name(name);
alter table users
  add constraint users_name_length check (char_length(name) between 1 and 80),
  add constraint users_name_check check (name !~ '[\u0001-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]');

-- Copies of names, in what people did.
update deploy_keys set issued_by = clean_display_name(issued_by) where issued_by <> clean_display_name(issued_by);
update channel_moves set moved_by = clean_display_name(moved_by) where moved_by <> clean_display_name(moved_by);
update crash_groups set resolved_by = clean_display_name(resolved_by) where resolved_by <> clean_display_name(resolved_by);
update bug_tickets set filed_by = clean_display_name(filed_by) where filed_by <> clean_display_name(filed_by);
update approvals set asked_by = clean_display_name(asked_by) where asked_by <> clean_display_name(asked_by);
update approvals set decided_by = clean_display_name(decided_by) where decided_by <> clean_display_name(decided_by);
update deleted_builds set deleted_by = clean_display_name(deleted_by) where deleted_by <> clean_display_name(deleted_by);

drop function clean_display_name(text);

-- Which connection an authorization code is for: a code that comes a second time ends what it gave (RFC 6749, section 4.1.2).
create table agent_codes (
  -- SHA-256 of the code.
  code_hash bytea primary key,
  connection_id uuid not null references agent_connections on delete cascade,
  used_at timestamptz,
  refused_at timestamptz
);
create index agent_codes_by_connection on agent_codes (connection_id);
