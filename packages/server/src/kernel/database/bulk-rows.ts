// Rows of a bulk statement: gathered as one array for each column, which the statement reads with `unnest`. Arrays are
// written as literals of PostgreSQL (its manual, "Array Input and Output Syntax"). The driver can do this, but takes
// three times as long, which matters for batches of tens of thousands of values.
import { type RawBuilder, sql } from 'kysely';

type Scalar = string | number | boolean | null;

/** Escapes of JSON that PostgreSQL reads as a plain letter. Also matches `\\n`, which is harmless. */
const JSON_ESCAPE = /\\[^"\\]/;

/**
 * The literal of an array of values, or null if all of them are null: `unnest` then fills the column with nulls itself.
 * A JSON array without escapes such as those of line breaks is a valid literal except for its brackets.
 */
export function arrayLiteral(values: readonly Scalar[]): string | null {
  if (values.every((value) => value === null)) return null;
  const json = JSON.stringify(values);
  return `{${JSON_ESCAPE.test(json) ? values.map(quote).join() : json.slice(1, -1)}}`;
}

function quote(value: Scalar): string {
  return typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value);
}

/** A column of a bulk statement, described in this one place. */
export type Column<Row> = {
  readonly name: string;
  readonly type: 'bigint' | 'boolean' | 'float8' | 'integer' | 'jsonb' | 'smallint' | 'text' | 'uuid';
  /** `place` is the number that was added with the row, such as the index of its build among those of the batch. */
  readonly value: (row: Row, place: number) => Scalar;
  /** The SQL of the value to insert, if it is not the column itself; null for a column that is not inserted. */
  readonly stored?: RawBuilder<unknown> | null;
};

export class BulkRows<Row> {
  readonly #columns: readonly Column<Row>[];
  readonly #values: Scalar[][];
  #length = 0;

  constructor(columns: readonly Column<Row>[]) {
    this.#columns = columns;
    this.#values = columns.map(() => []);
  }

  get length(): number {
    return this.#length;
  }

  add(row: Row, place = 0): void {
    for (let index = 0; index < this.#columns.length; index += 1)
      this.#values[index]!.push(this.#columns[index]!.value(row, place));
    this.#length += 1;
  }

  /** The arrays as arguments: `$1::integer[], $2::text[]`. */
  arrays(): RawBuilder<unknown> {
    return sql.join(
      this.#columns.map(({ type }, index) => sql`${arrayLiteral(this.#values[index]!)}::${sql.raw(type)}[]`),
    );
  }

  /** `unnest(…) with ordinality as alias (place, name, no)`: the rows, numbered from 1 by the column `no`. */
  unnest(alias: string): RawBuilder<unknown> {
    const names = this.#columns.map(({ name }) => sql.ref(name));
    return sql`unnest(${this.arrays()}) with ordinality as ${sql.ref(alias)} (${sql.join([...names, sql`no`])})`;
  }
}

/** The columns to insert, for `insert into table (…)`. */
export function insertedNames<Row>(columns: readonly Column<Row>[]): RawBuilder<unknown> {
  return sql.join(insertedOf(columns).map(({ name }) => sql.ref(name)));
}

/** The values to insert, for `select …` from the rows that `unnest` named `alias`. In the order of `insertedNames`. */
export function insertedValues<Row>(columns: readonly Column<Row>[], alias: string): RawBuilder<unknown> {
  return sql.join(insertedOf(columns).map(({ name, stored }) => stored ?? sql.ref(`${alias}.${name}`)));
}

function insertedOf<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  return columns.filter(({ stored }) => stored !== null);
}
