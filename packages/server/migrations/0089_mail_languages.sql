-- The language in which people followed a game or filed a bug, for the mails that they get later.
alter table follows add column language text not null default 'en';
alter table bug_tickets add column language text not null default 'en';
