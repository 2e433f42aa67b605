-- Which organisation an entry of the audit log is about.

-- Not foreign keys: entries outlive the organisation and its games. For games, the organisation at the time.
alter table audit_entries add column about_organisation uuid;
-- The organisation that received the game, if it was moved or transferred.
alter table audit_entries add column other_organisation uuid;

update audit_entries set about_organisation = all_games.organisation_id
  from all_games where game_id = about_game and about_organisation is null;

create index audit_entries_by_organisation on audit_entries (about_organisation, entry_id)
  where about_organisation is not null;
create index audit_entries_by_other_organisation on audit_entries (other_organisation, entry_id)
  where other_organisation is not null;
