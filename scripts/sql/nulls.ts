// Whether an expression of a statement can be null. PostgreSQL says so only of columns of tables, but it stores the tree
// of a parsed function body, in which each column names the outer joins that can make it null. A verdict is undefined
// where that isn't decidable here, such as for parameters and for most functions.
// cspell:ignore ntile prosqlbody pronamespace resjunk rtekind constisnull COALESCEEXPR MINMAXEXPR CASEEXPR NULLIFEXPR
// cspell:ignore NULLTEST BOOLEANTEST ARRAYEXPR ROWEXPR SQLVALUEFUNCTION RELABELTYPE COERCEVIAIO ARRAYCOERCEEXPR
// cspell:ignore FUNCEXPR funcformat OPEXPR opno BOOLEXPR AGGREF WINDOWFUNC winfnoid varno varattno varlevelsup
// cspell:ignore varnullingrels joinaliasvars groupexprs ctelevelsup ctename ctequery aggfnoid aggfilter subselect
// cspell:ignore Aggs boolop nulltesttype JOINEXPR jointype quals larg rarg fromlist jointree SCALARARRAYOPEXPR
import type { Client } from 'pg';

/** Whether a value can be null; undefined if that is not known. */
export type Nullable = boolean | undefined;

/** The column of a table, by the id of the table and the number of the column. */
export type ColumnNullable = (table: number, column: number) => Nullable;

type Tree = { readonly node: string; readonly [field: string]: Value | string };
type Value = Tree | readonly Value[] | string | null;

/** A query, and the queries around it, whose tables its expressions can name. */
type Scope = { readonly query: Tree; readonly outer: Scope | undefined };

/** Ids of the functions `count(*)` and `count(value)`. */
const COUNTS = new Set(['2803', '2147']);
/** The ids of `row_number`, `rank`, `dense_rank` and `ntile`. */
const RANKS = new Set(['3100', '3101', '3102', '3105']);
const RELATION = '0';
const SUBQUERY = '1';
const JOIN = '2';
const CTE = '6';
const GROUP = '9';
const SELECT = '1';

/** Reads the tree of a statement that can be the body of a function; undefined for any other. */
export async function readTree(client: Client, text: string): Promise<Tree | undefined> {
  try {
    await client.query('begin');
    await client.query(`prepare nulls as ${text}`);
    const { rows: prepared } = await client.query<{ types: string }>(
      `select array_to_string(parameter_types, ', ') as types from pg_prepared_statements where name = 'nulls'`,
    );
    await client.query(
      `create function pg_temp.nulls(${prepared[0]!.types}) returns void language sql begin atomic ${text}; end`,
    );
    const { rows } = await client.query<{ tree: string }>(
      `select prosqlbody::text as tree from pg_proc where proname = 'nulls' and pronamespace = pg_my_temp_schema()`,
    );
    const [[query]] = parseTree(rows[0]!.tree) as [[Tree]];
    return query;
  } catch {
    return undefined;
  } finally {
    await client.query('rollback');
    await client.query('deallocate all');
  }
}

/** Returns the verdict for each column that the statement returns. */
export function nullableColumns(query: Tree, ofColumn: ColumnNullable): Nullable[] {
  return new Nulls(ofColumn).columns({ query, outer: undefined });
}

class Nulls {
  readonly #ofColumn: ColumnNullable;
  readonly #excluded = new WeakMap<Tree, ReadonlySet<string>>();
  /** Queries that are being looked at: a recursive query reads from itself. */
  readonly #open = new Set<Tree>();

  constructor(ofColumn: ColumnNullable) {
    this.#ofColumn = ofColumn;
  }

  columns(scope: Scope): Nullable[] {
    const { query } = scope;
    if (this.#open.has(query)) return [];
    this.#open.add(query);
    try {
      if (query.setOperations !== null) return this.#columnsOfParts(scope);
      const entries = listOf(query.commandType === SELECT ? query.targetList : query.returningList);
      return entries
        .filter(({ resjunk }) => resjunk !== 'true')
        .map(({ expr }) => (query.groupingSets === null ? this.#of(expr as Tree, scope) : undefined));
    } finally {
      this.#open.delete(query);
    }
  }

  /** A `union` returns the rows of each part. */
  #columnsOfParts(scope: Scope): Nullable[] {
    const parts = listOf(scope.query.rtable).filter(({ rtekind }) => rtekind === SUBQUERY);
    const all = parts.map(({ subquery }) => this.columns({ query: subquery as Tree, outer: scope }));
    return all[0]!.map((_, index) => anyOf(all.map((columns) => columns[index])));
  }

  #of(expression: Tree, scope: Scope): Nullable {
    const arg = () => this.#of(expression.arg as Tree, scope);
    const args = () => listOf(expression.args).map((each) => this.#of(each, scope));
    switch (expression.node) {
      case 'VAR':
        return this.#ofVariable(expression, scope);
      case 'CONST':
        return expression.constisnull === 'true';
      case 'COALESCEEXPR':
      case 'MINMAXEXPR':
        return allOf(args());
      case 'CASEEXPR':
        return this.#ofCase(expression, scope);
      case 'NULLIFEXPR':
        return true;
      case 'NULLTEST':
      case 'BOOLEANTEST':
      case 'ARRAYEXPR':
      case 'ROWEXPR':
      case 'SQLVALUEFUNCTION':
        return false;
      case 'RELABELTYPE':
      case 'COERCEVIAIO':
      case 'ARRAYCOERCEEXPR':
        return arg();
      case 'FUNCEXPR':
        // A cast, or a call: most functions return null for null, but some return it for other values too.
        return expression.funcformat === '0' ? undefined : anyOf(args());
      case 'OPEXPR':
        return ARITHMETIC.has(expression.opno as string) ? anyOf(args()) : undefined;
      case 'BOOLEXPR':
        return anyOf(args());
      case 'AGGREF':
        return this.#ofAggregate(expression, scope);
      case 'WINDOWFUNC':
        return COUNTS.has(expression.winfnoid as string) || RANKS.has(expression.winfnoid as string)
          ? false
          : undefined;
      case 'SUBLINK':
        return this.#ofSubquery(expression, scope);
      default:
        return undefined;
    }
  }

  /** A condition may exclude nulls of its result, so only a written null, and a missing `else`, make it null. */
  #ofCase({ args, defresult }: Tree, scope: Scope): Nullable {
    if (defresult === null) return true;
    const results = [...listOf(args).map(({ result }) => result as Tree), defresult as Tree];
    return anyOf(
      results.map((result) => {
        const nullable = this.#of(result, scope);
        return nullable === true && result.node === 'VAR' ? undefined : nullable;
      }),
    );
  }

  #ofVariable({ varno, varattno, varlevelsup, varnullingrels }: Tree, scope: Scope): Nullable {
    let owner: Scope | undefined = scope;
    for (let level = Number(varlevelsup); level > 0 && owner !== undefined; level -= 1) owner = owner.outer;
    const table = owner === undefined ? undefined : listOf(owner.query.rtable)[Number(varno) - 1];
    // `0` is a whole row; the numbers of system columns are negative.
    if (owner === undefined || table === undefined || Number(varattno) <= 0) return undefined;
    const isFromOuterJoin = (varnullingrels as readonly Value[]).length > 1;
    const nullable = isFromOuterJoin || this.#ofTable(table, Number(varattno) - 1, owner);
    // A row type may be shared with statements that don't exclude nulls.
    const isExcluded = this.#excludedIn(owner.query).has(`${varno as string}.${varattno as string}`);
    return nullable === true && isExcluded ? undefined : nullable;
  }

  #ofTable(table: Tree, column: number, scope: Scope): Nullable {
    if (table.rtekind === RELATION) return this.#ofColumn(Number(table.relid), column + 1);
    if (table.rtekind === SUBQUERY) return this.columns({ query: table.subquery as Tree, outer: scope })[column];
    if (table.rtekind === JOIN) return this.#of(listOf(table.joinaliasvars)[column]!, scope);
    if (table.rtekind === GROUP) return this.#of(listOf(table.groupexprs)[column]!, scope);
    if (table.rtekind !== CTE) return undefined;
    let owner: Scope | undefined = scope;
    for (let level = Number(table.ctelevelsup); level > 0 && owner !== undefined; level -= 1) owner = owner.outer;
    const cte = listOf(owner?.query.cteList ?? null).find(({ ctename }) => ctename === table.ctename);
    return cte === undefined ? undefined : this.columns({ query: cte.ctequery as Tree, outer: owner })[column];
  }

  /** Without groups, an aggregate of no rows is null, except for a count. With groups, each has a row. */
  #ofAggregate({ aggfnoid, args, aggfilter }: Tree, scope: Scope): Nullable {
    if (COUNTS.has(aggfnoid as string)) return false;
    if (listOf(scope.query.groupClause).length === 0 || aggfilter !== null) return true;
    return anyOf(listOf(args).map(({ expr }) => this.#of(expr as Tree, scope)));
  }

  #ofSubquery({ subLinkType, subselect }: Tree, scope: Scope): Nullable {
    const [EXISTS, SCALAR, ARRAY] = ['0', '4', '6'];
    if (subLinkType === EXISTS || subLinkType === ARRAY) return false;
    if (subLinkType !== SCALAR) return undefined;
    const query = subselect as Tree;
    const hasOneRow = query.hasAggs === 'true' && listOf(query.groupClause).length === 0 && query.havingQual === null;
    return hasOneRow ? this.columns({ query, outer: scope })[0] : undefined;
  }

  /** The columns that a condition of the query excludes nulls of: `<table>.<column>`, by their numbers. */
  #excludedIn(query: Tree): ReadonlySet<string> {
    const existing = this.#excluded.get(query);
    if (existing !== undefined) return existing;
    const excluded = new Set<string>();
    const addCondition = (condition: Value): void => {
      if (!isTree(condition)) return;
      const operands = [...listOf(condition.args), ...(isTree(condition.arg!) ? [condition.arg] : [])];
      if (condition.node === 'BOOLEXPR') {
        if (condition.boolop === 'and') for (const each of operands) addCondition(each);
        return;
      }
      const excludes = condition.node === 'NULLTEST' ? condition.nulltesttype === '1' : isComparison(condition);
      if (excludes)
        for (const each of operands)
          if (each.node === 'VAR' && each.varlevelsup === '0')
            excluded.add(`${each.varno as string}.${each.varattno as string}`);
    };
    const addFrom = (from: Value): void => {
      if (!isTree(from)) return;
      if (from.node === 'JOINEXPR' && from.jointype !== '0') return;
      addCondition(from.quals!);
      for (const each of from.node === 'JOINEXPR' ? [from.larg!, from.rarg!] : listOf(from.fromlist)) addFrom(each);
    };
    addFrom(query.jointree as Tree);
    this.#excluded.set(query, excluded);
    return excluded;
  }
}

/** Ids of the operators + - * of integers, which are null only for nulls. */
const ARITHMETIC = new Set([
  '551',
  '555',
  '514',
  '684',
  '685',
  '686',
  '688',
  '692',
  '687',
  '690',
  '694',
  '818',
  '822',
  '819',
  '823',
]);

function isComparison({ node }: Tree): boolean {
  return node === 'OPEXPR' || node === 'SCALARARRAYOPEXPR';
}

/** The verdict for what is null if one of these is. */
function anyOf(all: readonly Nullable[]): Nullable {
  if (all.includes(true)) return true;
  return all.includes(undefined) ? undefined : false;
}

/** The verdict for what is null only if all of these are. */
function allOf(all: readonly Nullable[]): Nullable {
  if (all.includes(false)) return false;
  return all.includes(undefined) ? undefined : true;
}

function isTree(value: Value): value is Tree {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function listOf(value: Value | undefined): readonly Tree[] {
  return Array.isArray(value) ? value.filter((each): each is Tree => isTree(each as Value)) : [];
}

/** Brackets, or anything up to the next space or bracket that has no backslash in front. */
const TOKEN = /[(){}]|(?:\\.|[^\s(){}\\])+/g;

/** PostgreSQL's text of a tree: `{NODE :field value …}`, `(value …)`, and `<>` for null. */
function parseTree(text: string): Value {
  const tokens = text.match(TOKEN)!;
  let position = 0;
  const parseValue = (): Value => {
    const token = tokens[position++]!;
    if (token === '<>') return null;
    if (token === '(') {
      const values: Value[] = [];
      while (tokens[position] !== ')') values.push(parseValue());
      position += 1;
      return values;
    }
    if (token !== '{') return token;
    const tree: Record<string, Value> = { node: tokens[position++]! };
    while (tokens[position] !== '}') {
      const name = tokens[position++]!.slice(1);
      tree[name] = parseValue();
      // The bytes of a constant are further values, which have no name.
      while (tokens[position] !== '}' && !tokens[position]!.startsWith(':')) position += 1;
    }
    position += 1;
    return tree as Tree;
  };
  return parseValue();
}
