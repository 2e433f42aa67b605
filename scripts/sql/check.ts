// Checks the statements of the server against a database: each must be valid, and return what its row type declares.
import type { CallExpression, Node } from 'typescript/unstable/ast';
import { isIdentifier, isTaggedTemplateExpression } from 'typescript/unstable/ast/is';
import type { Type } from 'typescript/unstable/sync';
import { compare } from './compare.ts';
import { type Field, fieldsOf } from './declare.ts';
import type { Describer } from './describe.ts';
import { evaluateAll } from './evaluate.ts';
import { checkInShard } from './shard-rules.ts';
import { calledName, placeOf, type Sources } from './sources.ts';
import { type Part, textOf } from './values.ts';

export type Finding = {
  /** Such as `packages/server/src/people/games/games.sql.ts:54`. */
  readonly place: string;
  readonly message: string;
  /** The statement; undefined if it is not known. */
  readonly text?: string;
};

export type Result = {
  readonly mismatches: readonly Finding[];
  /** Statements, or parts of them, whose text is known only when the program runs. */
  readonly unknown: readonly Finding[];
  /** How many different texts were checked. */
  readonly statements: number;
};

/** The functions that execute a statement, and which of their arguments it is. */
const EXECUTORS: Readonly<Record<string, { readonly position: number; readonly inShard?: boolean }>> = {
  rows: { position: 1 },
  row: { position: 1 },
  onlyRow: { position: 1 },
  changed: { position: 1 },
  rowsOfGame: { position: 2, inShard: true },
  rowsOfAllGames: { position: 1, inShard: true },
  rowsInShard: { position: 2, inShard: true },
};

/** Where these functions are. */
const EXECUTOR_FILES = /\/kernel\/database\/(db|shards)\.ts$/;

/** What only a database with Citus has. */
const NEEDS_CITUS =
  /\b(chauffeur_run_in_shard|create_distributed_table|get_shard_id_for_distribution_column|citus_shards|pg_dist_\w+)\b/;

type Statement = {
  readonly place: string;
  readonly parts: readonly Part[];
  readonly fields: readonly Field[] | undefined;
  readonly inShard: boolean;
};

export async function checkStatements(sources: Sources, describer: Describer, root: string): Promise<Result> {
  const { statements, unknown } = findStatements(sources, root);
  const mismatches = new Map<string, Finding>();
  await createTemporaryTables(statements, describer);
  for (const { place, parts, fields, inShard } of statements) {
    const text = textOf(parts);
    if (NEEDS_CITUS.test(text)) {
      unknown.push({ place, message: 'this statement needs Citus' });
      continue;
    }
    const described = await describer.describe(text);
    const messages =
      'error' in described
        ? [described.error]
        : [
            ...(fields === undefined ? [] : compare(described.columns, fields)),
            ...(inShard ? checkInShard(parts, described.columns, fields ?? []) : []),
          ];
    for (const message of messages) mismatches.set(`${place} ${message}`, { place, message, text });
  }
  return { mismatches: [...mismatches.values()], unknown, statements: statements.length };
}

/** The different statements of each call that executes one. */
function findStatements(sources: Sources, root: string): { statements: Statement[]; unknown: Finding[] } {
  const statements = new Map<string, Statement>();
  const unknown = new Map<string, Finding>();
  const reached = new Set<Node>();
  const addUnknown = (node: Node, message: string) => {
    const place = placeOf(node, root);
    unknown.set(`${place} ${message}`, { place, message });
  };
  for (const [name, { position, inShard = false }] of Object.entries(EXECUTORS)) {
    for (const call of sources.callsNamed(name)) {
      const declaration = sources.declarationOf(calledName(call)!);
      if (declaration === undefined || !isExecutorFile(declaration) || isPassedOn(call, position)) continue;
      const { values, problems } = evaluateAll(sources, call.arguments[position]!, reached);
      for (const { node, message } of problems)
        addUnknown(call, `${message}: ${node.getText()} at ${placeOf(node, root)}`);
      const row = rowTypeOf(sources, call, name);
      const fields = row === undefined ? undefined : fieldsOf(sources, row);
      for (const value of values) {
        // Such as undefined, with which nothing is executed.
        if (value.kind === 'constant') continue;
        if (value.kind !== 'sql') {
          if (problems.length === 0) addUnknown(call, 'the statement cannot be followed');
          continue;
        }
        const place = placeOf(value.site, root);
        statements.set(`${place} ${inShard} ${textOf(value.parts)}`, { place, parts: value.parts, fields, inShard });
      }
    }
  }
  sources.walk((node) => {
    if (!isTaggedTemplateExpression(node) || !isIdentifier(node.tag) || node.tag.text !== 'sql') return;
    if (!reached.has(node)) addUnknown(node, 'no statement is known that has this part');
  });
  return { statements: [...statements.values()], unknown: [...unknown.values()] };
}

/** Whether a function that executes statements calls another one with the statement of its caller. */
function isPassedOn(call: CallExpression, position: number): boolean {
  return isExecutorFile(call) && /^(keepPlan\()?(query|statement)\)?$/.test(call.arguments[position]!.getText());
}

function isExecutorFile(node: Node): boolean {
  return EXECUTOR_FILES.test(node.getSourceFile().fileName);
}

/** The row type with which a function that executes a statement was called. */
function rowTypeOf(sources: Sources, call: CallExpression, name: string): Type | undefined {
  const promise = sources.typeOf(call);
  if (name === 'changed' || promise === undefined || !promise.isTypeReference()) return undefined;
  const [result] = sources.checker.getTypeArguments(promise);
  if (result === undefined || name === 'onlyRow') return result;
  if (name === 'row') return sources.checker.getNonNullableType(result);
  return result.isTypeReference() ? sources.checker.getTypeArguments(result)[0] : undefined;
}

/** Other statements use them. If one is created from another, that one comes first. */
async function createTemporaryTables(statements: readonly Statement[], describer: Describer): Promise<void> {
  let waiting = statements.map(({ parts }) => textOf(parts)).filter((text) => /^\s*create temporary table/.test(text));
  for (let before = Infinity; waiting.length < before; ) {
    before = waiting.length;
    const failed: string[] = [];
    for (const text of waiting) if (!(await describer.create(text))) failed.push(text);
    waiting = failed;
  }
}
