-- Symbols are found by their ids, whatever the file is called, and the richer of two files of a module is kept.

-- The id of the code file in lower case, which identifies modules without a debug id; '' if there is none. For these,
-- debug_id has it as well, because modules without any debug id would otherwise replace each other.
alter table symbols add column code_id text not null default '';
create index symbols_by_code_id on symbols (game_id, code_id) where code_id <> '';

-- When a poorer file of the module was last uploaded and not used.
alter table symbols add column poorer_at timestamptz;

-- What a text contains: its named functions, its level of detail (3 lines, 2 functions, 1 other names or unwind rules, 0
-- nothing) and the number of its records. Null until it is read again, for texts of earlier releases.
alter table symbol_texts add column functions integer, add column detail smallint, add column records integer;
create index symbol_texts_uncounted on symbol_texts (created_at) where detail is null;
