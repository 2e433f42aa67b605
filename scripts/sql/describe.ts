// What PostgreSQL says about a statement without executing it: the columns that it returns, and whether they can be null.
import type pg from 'pg';
import { nullableColumns, readTree } from './nulls.ts';

export type Column = {
  readonly name: string;
  /** The name of the type, such as `int8`; of an array, with that of its elements: `text[]`. */
  readonly type: string;
  /** Undefined if it is not known (nulls.ts). */
  readonly nullable: boolean | undefined;
  /** The table and the column that it is read from, such as `builds.title`. */
  readonly origin: string | undefined;
};

export type Description =
  | { readonly columns: readonly Column[] }
  | { readonly error: string; readonly position: number | undefined };

type Field = { name: string; tableID: number; columnID: number; dataTypeID: number };
type Attribute = { origin: string; nullable: boolean | undefined };

export class Describer {
  readonly #client: pg.Client;
  readonly #types: ReadonlyMap<number, string>;
  readonly #attributes: ReadonlyMap<string, Attribute>;

  private constructor(
    client: pg.Client,
    types: ReadonlyMap<number, string>,
    attributes: ReadonlyMap<string, Attribute>,
  ) {
    this.#client = client;
    this.#types = types;
    this.#attributes = attributes;
  }

  /** The connection serves nothing else meanwhile. */
  static async open(client: pg.Client): Promise<Describer> {
    const types = await client.query<{ oid: number; name: string }>(
      `select t.oid::integer, coalesce(e.typname || '[]', t.typname) as name
       from pg_type t left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'`,
    );
    const attributes = await client.query<{ key: string; name: string; nullable: boolean | null }>(
      `select attrelid || '.' || attnum as key, c.relname || '.' || attname as name, case when attnotnull then false
         when not exists (select from pg_constraint where conrelid = attrelid and contype = 'c'
           and pg_get_constraintdef(pg_constraint.oid) ~ ('\\m' || attname || ' IS (NOT )?NULL')) then true end as nullable
       from pg_attribute join pg_class c on c.oid = attrelid
       where attnum > 0 and not attisdropped and c.relkind in ('r', 'p')`,
    );
    const known = new Map(
      attributes.rows.map(({ key, name, nullable }) => [key, { origin: name, nullable: nullable ?? undefined }]),
    );
    const describer = new Describer(client, new Map(types.rows.map(({ oid, name }) => [oid, name])), known);
    await describer.#addViews(known);
    return describer;
  }

  /** Executes a statement that creates a temporary table, which others use. */
  async create(text: string): Promise<boolean> {
    return this.#client.query(text).then(
      () => true,
      () => false,
    );
  }

  async describe(text: string): Promise<Description> {
    try {
      const fields = await this.#parse(text);
      const tree = fields.length === 0 ? undefined : await readTree(this.#client, text);
      const ofColumn = (table: number, column: number) => this.#attributes.get(`${table}.${column}`)?.nullable;
      const nullable = tree === undefined ? [] : nullableColumns(tree, ofColumn);
      return {
        columns: fields.map(({ name, tableID, columnID, dataTypeID }, index) => ({
          name,
          type: this.#types.get(dataTypeID) ?? 'unknown',
          nullable: nullable[index],
          origin: this.#attributes.get(`${tableID}.${columnID}`)?.origin,
        })),
      };
    } catch (error) {
      const { message, position } = error as Error & { position?: string };
      return { error: message, position: position === undefined ? undefined : Number(position) };
    }
  }

  /** PostgreSQL knows of no column of a view whether it can be null. */
  async #addViews(attributes: Map<string, Attribute>): Promise<void> {
    const { rows } = await this.#client.query<{ oid: number; name: string; definition: string }>(
      `select oid::integer, relname as name, pg_get_viewdef(oid) as definition from pg_class
       where relkind = 'v' and relnamespace = 'public'::regnamespace order by oid`,
    );
    for (const { oid, name, definition } of rows) {
      const described = await this.describe(definition);
      if ('error' in described) continue;
      described.columns.forEach(({ name: column, nullable }, index) => {
        attributes.set(`${oid}.${index + 1}`, { origin: `${name}.${column}`, nullable });
      });
    }
  }

  #parse(text: string): Promise<Field[]> {
    return new Promise((resolve, reject) => {
      let fields: Field[] = [];
      this.#client.query({
        submit(connection: pg.Connection) {
          connection.parse({ name: '', text, types: [] }, true);
          connection.describe({ type: 'S', name: '' }, true);
          connection.sync();
        },
        handleRowDescription: (message: { fields: Field[] }) => {
          fields = message.fields;
        },
        handleError: reject,
        handleReadyForQuery: () => resolve(fields),
      } as unknown as pg.Submittable);
    });
  }
}
