// The sources as TypeScript sees them: which nodes are where, what names refer to, and who calls a function.

import type { CallExpression, Identifier, Node, SourceFile } from 'typescript/unstable/ast';
import {
  isCallExpression,
  isIdentifier,
  isPropertyAccessExpression,
  isShorthandPropertyAssignment,
} from 'typescript/unstable/ast/is';
import {
  API,
  type Checker,
  type Program,
  SymbolFlags,
  type Type,
  type Symbol as TypeScriptSymbol,
} from 'typescript/unstable/sync';

export class Sources {
  readonly checker: Checker;
  readonly #api: API;
  readonly #program: Program;
  readonly #files: readonly SourceFile[];
  readonly #declarations = new Map<Node, Node | undefined>();
  readonly #calls = new Map<string, CallExpression[]>();
  readonly #types = new Map<Node, Type | undefined>();
  readonly #holdsSql = new Map<number, boolean>();

  /** `config` is a tsconfig.json. Only the files that `includes` chooses are read. */
  constructor(config: string, includes: (file: string) => boolean) {
    this.#api = new API();
    const [project] = this.#api.updateSnapshot({ openProjects: [config] }).getProjects();
    if (project === undefined) throw new Error(`there is no TypeScript project ${config}`);
    this.#program = project.program;
    this.checker = project.checker;
    this.#files = this.#program
      .getSourceFileNames()
      .filter(includes)
      .map((name) => this.#program.getSourceFile(name)!);
    this.#findCalls();
  }

  close(): void {
    this.#api.close();
  }

  /** Calls `visit` for every node of the files. */
  walk(visit: (node: Node) => void): void {
    const walk = (node: Node): void => {
      visit(node);
      node.forEachChild(walk);
    };
    for (const file of this.#files) walk(file);
  }

  /** Where the name is declared, also if it is imported; undefined if that is in no source file. */
  declarationOf(name: Node): Node | undefined {
    if (!this.#declarations.has(name)) this.#declarations.set(name, this.#declarationOf(this.#symbolOf(name)));
    return this.#declarations.get(name);
  }

  /** The declarations of what a module exports, by name. */
  exportsOf(module: SourceFile): ReadonlyMap<string, Node> {
    const symbol = this.checker.getSymbolAtLocation(module);
    const found = new Map<string, Node>();
    for (const exported of symbol === undefined ? [] : this.checker.getExportsOfModule(symbol)) {
      const declaration = this.#declarationOf(exported);
      if (declaration !== undefined) found.set(exported.name, declaration);
    }
    return found;
  }

  /** The calls of a function by the name that it has where it is declared. */
  callsOf(declaration: Node, name: string): readonly CallExpression[] {
    return this.callsNamed(name).filter((call) => this.declarationOf(calledName(call)!) === declaration);
  }

  /** All calls by this name, whatever it refers to. */
  callsNamed(name: string): readonly CallExpression[] {
    return this.#calls.get(name) ?? [];
  }

  typeOf(node: Node): Type | undefined {
    if (!this.#types.has(node)) this.#types.set(node, this.checker.getTypeAtLocation(node));
    return this.#types.get(node);
  }

  /** The types of a union; of another type, itself. */
  static members(type: Type): readonly Type[] {
    return type.isUnionType() ? (type.getTypes() ?? []) : [type];
  }

  /** Whether values of the type are, have, or return a part of a statement. */
  holdsSql(type: Type | undefined, depth = 0): boolean {
    if (type === undefined || depth > 4) return false;
    const known = this.#holdsSql.get(type.id);
    if (known !== undefined) return known;
    this.#holdsSql.set(type.id, false);
    const holds = this.#looksLikeSql(type, depth);
    if (holds) this.#holdsSql.set(type.id, true);
    else if (depth > 0) this.#holdsSql.delete(type.id);
    return holds;
  }

  #looksLikeSql(type: Type, depth: number): boolean {
    const name = type.getSymbol()?.name;
    if (name === 'RawBuilder' || name === 'Query') return true;
    const alias = type.getAliasSymbol()?.name;
    if (alias === 'Query' || alias === 'RawBuilder') return true;
    if (/\bRawBuilder\b/.test(this.checker.typeToString(type))) return true;
    if (type.isUnionType() || type.isIntersectionType())
      return (type.getTypes() ?? []).some((member) => this.holdsSql(member, depth + 1));
    if (type.isTypeReference() && this.checker.getTypeArguments(type).some((of) => this.holdsSql(of, depth + 1)))
      return true;
    if (!type.isObjectType() || !this.#isOurs(type.getSymbol())) return false;
    return this.checker.getPropertiesOfType(type).some((property) => {
      const of = this.checker.getTypeOfSymbol(property);
      return this.holdsSql(of, depth + 1);
    });
  }

  #isOurs(symbol: TypeScriptSymbol | undefined): boolean {
    // A type such as Pick<…> is declared by the library, but its fields are ours.
    return symbol?.name === '__type' || (symbol?.declarations.some(({ path }) => !isLibrary(path)) ?? false);
  }

  #findCalls(): void {
    this.walk((node) => {
      const text = isCallExpression(node) ? calledName(node)?.text : undefined;
      if (text === undefined || !isCallExpression(node)) return;
      const known = this.#calls.get(text);
      if (known === undefined) this.#calls.set(text, [node]);
      else known.push(node);
    });
  }

  #symbolOf(name: Node): TypeScriptSymbol | undefined {
    return isShorthandPropertyAssignment(name.parent)
      ? this.checker.getShorthandAssignmentValueSymbol(name.parent)
      : this.checker.getSymbolAtLocation(name);
  }

  #declarationOf(symbol: TypeScriptSymbol | undefined): Node | undefined {
    const isAlias = symbol !== undefined && (symbol.flags & SymbolFlags.Alias) !== 0;
    const handle = (isAlias ? this.checker.getAliasedSymbol(symbol) : symbol)?.valueDeclaration;
    return handle === undefined || isLibrary(handle.path) ? undefined : handle.resolve();
  }
}

/** The name of the called function, which may come from a module: `listGroups(…)`, `groups.listGroups(…)`. */
export function calledName({ expression }: CallExpression): Identifier | undefined {
  if (isPropertyAccessExpression(expression)) return isIdentifier(expression.name) ? expression.name : undefined;
  return isIdentifier(expression) ? expression : undefined;
}

function isLibrary(path: string): boolean {
  return path.includes('/node_modules/') || path.includes('bundled:');
}

/** `packages/server/src/people/accounts/accounts.sql.ts:12`, below `root`. */
export function placeOf(node: Node, root: string): string {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  const name = file.fileName.startsWith(`${root}/`) ? file.fileName.slice(root.length + 1) : file.fileName;
  return `${name}:${line + 1}`;
}
