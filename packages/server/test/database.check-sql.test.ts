// Tests the check that compares statements with the schema (scripts/check-sql.ts).
import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { checkSql, findingsOf } from '../../../scripts/check-sql.ts';
import type { Result } from '../../../scripts/sql/check.ts';
import { openDatabase } from '../src/kernel/database/db.ts';
import { MAX_PARAMETERS } from '../src/kernel/database/shards.ts';
import { createLog } from '../src/kernel/telemetry/log.ts';
import { ON_CITUS } from './setup/citus.ts';
import { createTestDatabase } from './setup/database.ts';

const REPOSITORY = join(import.meta.dirname, '../../..');

const SCHEMA = `
  create table studios (studio_id uuid primary key, name text not null, motto text, founded_at timestamptz not null,
    closed_at timestamptz, reason text, constraint reasons check (closed_at is null or reason is not null));
  create table prizes (studio_id uuid not null references studios, year integer not null, worth bigint not null, notes jsonb not null);
  create view open_studios as select studio_id, name, motto from studios where closed_at is null;`;

const IMPORTS = `import { sql, type RawBuilder } from 'kysely';
import { changed, type Db, onlyRow, row, rows } from '${REPOSITORY}/packages/server/src/kernel/database/db.ts';
import { rowsOfGame } from '${REPOSITORY}/packages/server/src/kernel/database/shards.ts';
`;

type Case = {
  /** A sentence about the check. */
  readonly says: string;
  readonly source: string;
  /** Of each finding, the line of the source without the imports, and the message. */
  readonly finds: readonly string[];
};

/** One parameter too many for a statement in a shard. */
const MANY = Array.from({ length: MAX_PARAMETERS + 1 }, () => `\${id}::text`).join();

const CASES: readonly Case[] = [
  {
    says: 'a statement that returns what its row type declares is accepted',
    source: `type Studio = { studio_id: string; name: string; motto: string | null; founded_at: Date };
export const find = (db: Db, id: string) =>
  row(db, sql<Studio>\`select studio_id, name, motto, founded_at from studios where studio_id = \${id}\`);`,
    finds: [],
  },
  {
    says: 'a column that was renamed is found',
    source: `export const list = (db: Db) => rows(db, sql<{ title: string }>\`select title from studios\`);`,
    finds: ['1  column "title" does not exist'],
  },
  {
    says: 'a field that the statement does not return is found',
    source: `export const list = (db: Db) => rows(db, sql<{ name: string; year: number }>\`select name from studios\`);`,
    finds: [`1  year is declared, but the statement doesn't return it`],
  },
  {
    says: 'a wrong type is found',
    source: `export const list = (db: Db) =>
  rows(db, sql<{ founded_at: string; worth: Date; name: 'a' | 1 }>\`select founded_at, worth, name from studios join prizes using (studio_id)\`);
export const ids = (db: Db) => onlyRow(db, sql<{ ids: number[]; years: number[]; notes: Date }>\`
  select array_agg(studio_id) as ids, array(select year from prizes) as years, '{}'::jsonb as notes from prizes\`);`,
    finds: [
      '2  founded_at (studios.founded_at) is declared as string, but its type timestamptz arrives as Date',
      '2  worth (prizes.worth) is declared as Date, but its type int8 arrives as number',
      '2  name (studios.name) is declared as "a" | 1, but its type text arrives as string',
      '3  ids is declared as number[], but its type uuid[] arrives as string[]',
      '3  notes is declared as Date, but its type jsonb arrives as JSON',
    ],
  },
  {
    says: 'a column that can be null must be declared so, also if it is read from a view',
    source: `export const list = (db: Db) => rows(db, sql<{ motto: string }>\`select motto from studios\`);
export const open = (db: Db) => rows(db, sql<{ name: string; motto: string }>\`select name, motto from open_studios\`);`,
    finds: [
      '1  motto (studios.motto) is declared as string, but it can be null',
      '2  motto (open_studios.motto) is declared as string, but it can be null',
    ],
  },
  {
    says: 'a column that is never null must not be declared as if it could be',
    source: `export const list = (db: Db) => rows(db, sql<{ name: string | null }>\`select name from studios\`);`,
    finds: ['1  name (studios.name) is declared as string | null, but it is never null'],
  },
  {
    says: 'a column counts as neither if a join, a condition or a constraint decides whether it is null',
    source: `export const join = (db: Db) => rows(db, sql<{ year: number | null }>\`select year from studios left join prizes using (studio_id)\`);
export const known = (db: Db) => rows(db, sql<{ motto: string }>\`select motto from studios where motto is not null\`);
export const closed = (db: Db) => rows(db, sql<{ reason: string }>\`select reason from studios where closed_at < now()\`);`,
    finds: [],
  },
  {
    says: 'an expression that can be null must be declared so',
    source: `export const sums = (db: Db) => onlyRow(db, sql<{ worth: number; last: number }>\`select sum(worth)::bigint as worth, max(year) as last from prizes\`);
export const joined = (db: Db) => rows(db, sql<{ year: number }>\`select year from studios left join prizes using (studio_id)\`);
export const cased = (db: Db) => rows(db, sql<{ size: string; state: string }>\`
  select case when worth > 9 then 'large' end as size, case when worth > 9 then 'large' else nullif(notes ->> 'a', '') end as state from prizes\`);
export const parts = (db: Db) => rows(db, sql<{ name: string }>\`
  with named as (select name, motto from studios) select name from named union all select motto from named\`);
export const changing = (db: Db) => rows(db, sql<{ year: number }>\`update prizes set year = 1 returning greatest(null::integer, null) as year\`);`,
    finds: [
      '1  worth is declared as number, but it can be null',
      '1  last is declared as number, but it can be null',
      '2  year (prizes.year) is declared as number, but it can be null',
      '3  size is declared as string, but it can be null',
      '3  state is declared as string, but it can be null',
      '5  name is declared as string, but it can be null',
      '7  year is declared as number, but it can be null',
    ],
  },
  {
    says: 'an expression that is never null must not be declared as if it could be',
    source: `export const list = (db: Db) => rows(db, sql<{ motto: string | null; prizes: number | null; most: number | null; is_new: boolean | null }>\`
  select coalesce(motto, name) as motto, count(*) as prizes, max(worth) as most, motto is null as is_new
  from studios join prizes using (studio_id) group by studio_id, name, motto\`);`,
    finds: [
      '1  motto is declared as string | null, but it is never null',
      '1  prizes is declared as number | null, but it is never null',
      '1  most is declared as number | null, but it is never null',
      '1  is_new is declared as boolean | null, but it is never null',
    ],
  },
  {
    says: 'an expression counts as neither if a parameter, a function or a condition decides whether it is null',
    source: `export const given = (db: Db, year: number | null) => rows(db, sql<{ year: number; note: string; motto: string | null; most: number | null }>\`
  select \${year}::integer as year, notes ->> 'a' as note, motto, (select max(worth) from prizes) as most
  from studios left join prizes using (studio_id) where motto is not null and motto = any(\${['a']}::text[])\`);
export const cased = (db: Db) => rows(db, sql<{ motto: string }>\`select case when motto is null then name else motto end as motto from studios\`);
export const inner = (db: Db) => rows(db, sql<{ founder: number }>\`select year as founder from studios left join prizes using (studio_id) where year > 1\`);`,
    finds: [],
  },
  {
    says: 'the parts of a statement are followed through functions, lists, conditions and callers',
    source: `const columns = sql.raw('name, motto');
const named = (name: string) => sql\`name = \${name}\`;
export function list(db: Db, { name, year, order }: { name?: string; year?: number; order: 'name' | 'year' }) {
  const conditions = [sql\`true\`];
  if (name !== undefined) conditions.push(named(name));
  if (year !== undefined) conditions.push(sql\`year = \${year}\`);
  return select(db, sql\`\${columns}, \${sql.ref(order)}\`, conditions);
}
function select(db: Db, what: RawBuilder<unknown>, conditions: readonly RawBuilder<unknown>[]) {
  return rows(db, sql<{ name: string; motto: string | null }>\`select \${what} from studios
    where \${sql.join(conditions, sql\` and \`)}\`);
}`,
    finds: ['10  column "year" does not exist'],
  },
  {
    says: 'a part that no statement has is found',
    source: `export const unused = sql\`name\`;`,
    finds: ['1  no statement is known that has this part'],
  },
  {
    says: 'a name that is known only at run time is found',
    source: `export const empty = (db: Db, table: string) => changed(db, sql\`delete from \${sql.table(table)}\`);`,
    finds: ['1  a part of the text of this statement is known only when the program runs: table at unknown.ts:1'],
  },
  {
    says: 'a statement for a shard needs casts, few parameters and no times',
    source: `export const times = (db: Db, id: string) => rowsOfGame(db, id, sql<{ founded_at: Date }>\`
  insert into studios select * from studios where studio_id = \${id} returning founded_at\`);
export const cast = (db: Db, id: string) => rowsOfGame(db, id, sql<{ name: string }>\`
  insert into studios select * from studios where studio_id = \${id}::uuid and motto = cast(\${id} as text) returning name\`);
export const many = (db: Db, id: string) => rowsOfGame(db, id, sql\`
  insert into prizes select studio_id, 1, 1, to_jsonb(array[${MANY}]) from studios returning year\`);`,
    finds: [
      '1  parameter $1 has no cast, but the statement can run in a shard: id',
      '1  founded_at has the type timestamptz, but the statement can run in a shard, whose rows pass through JSON',
      `5  the statement has ${MAX_PARAMETERS + 1} parameters, but it can run in a shard, with at most ${MAX_PARAMETERS}`,
    ],
  },
  {
    says: 'a statement that Citus can plan must not run in a shard',
    source: `export const list = (db: Db, id: string) => rowsOfGame(db, id, sql<{ name: string }>\`
  with found as (select name from studios where studio_id = \${id}::uuid) select name from found\`);
export const remove = (db: Db, id: string) => rowsOfGame(db, id, sql<{ count: number }>\`
  with old as (select ctid from prizes where studio_id = \${id}::uuid for update skip locked),
    deleted as (delete from prizes using old where prizes.ctid = old.ctid returning 1)
  select count(*) as count from deleted\`);`,
    finds: [
      '1  Citus can plan this statement: use rows or changed, which need no casts, instead of running it in a shard',
    ],
  },
];

// The check reads trees in the form of PostgreSQL 18, which `npm run sql` starts.
const skip = ON_CITUS && 'skipped: the check needs a PostgreSQL without Citus';

describe('the check of statements', { skip }, () => {
  let result: Result;
  before(async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'chauffeur-sql-')));
    const of = await createTestDatabase({ empty: true });
    const database = openDatabase(of.url, { connections: 2, log: createLog('silent'), name: 'test' });
    try {
      await database.pool.query(SCHEMA);
      await symlink(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
      const config = { extends: join(REPOSITORY, 'tsconfig.json'), include: ['*.ts'], exclude: [] };
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
      for (const [index, { source }] of CASES.entries())
        await writeFile(
          join(folder, `case-${index}.ts`),
          IMPORTS + source.replaceAll('unknown.ts', `case-${index}.ts`),
        );
      const includes = (file: string) => file.startsWith(`${folder}/`) && !file.includes('/node_modules/');
      result = await checkSql({ root: folder, config: join(folder, 'tsconfig.json'), includes }, database.pool);
    } finally {
      await database.close();
      await of.drop();
      await rm(folder, { recursive: true });
    }
  });

  for (const [index, { says, finds }] of CASES.entries())
    test(says, () => {
      const file = `case-${index}.ts`;
      const found = [...result.mismatches, ...result.unknown].filter(({ place }) => place.startsWith(`${file}:`));
      const lines = found.map(
        ({ place, message }) =>
          `${lineOf(place)}  ${message.replaceAll(/case-\d+\.ts:(\d+)/g, (_, line) => `unknown.ts:${line - IMPORT_LINES}`)}`,
      );
      assert.deepEqual(lines.toSorted(), finds.toSorted());
    });

  test('a file is listed as unknown only while it has statements that are', () => {
    const unknown = [{ place: 'a.ts:3', message: 'cannot be followed' }];
    const known = { mismatches: [], unknown, statements: 1 };
    assert.deepEqual(findingsOf(known, {}), unknown);
    assert.deepEqual(findingsOf(known, { 'a.ts': 'reason' }), []);
    assert.deepEqual(
      findingsOf({ ...known, unknown: [] }, { 'a.ts': 'reason' }).map(({ place }) => place),
      ['a.ts:1'],
    );
  });
});

const IMPORT_LINES = IMPORTS.split('\n').length - 1;

function lineOf(place: string): number {
  return Number(place.slice(place.lastIndexOf(':') + 1)) - IMPORT_LINES;
}
