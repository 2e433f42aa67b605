// Takes one way through the code: evaluates an expression as the program would, except that values which are known only
// at run time stay unknown, and that a plan decides where the program would. Notes each decision with its alternatives.
import {
  type BindingElement,
  type BindingName,
  type Block,
  type CallExpression,
  type ClassDeclaration,
  type Expression,
  type Node,
  type ParameterDeclaration,
  type Statement,
  SyntaxKind,
  type TaggedTemplateExpression,
  type TemplateLiteral,
} from 'typescript/unstable/ast';
import * as is from 'typescript/unstable/ast/is';
import {
  alwaysExits,
  bare,
  contains,
  type FunctionNode,
  functionAround,
  isInside,
  matters,
  namedAs,
  nameOf,
  normalized,
} from './nodes.ts';
import { Sources } from './sources.ts';
import { constant, NOTHING, type Part, type Value } from './values.ts';

/** Thrown where a part of a statement cannot be known. */
export class Unfollowed extends Error {
  readonly node: Node;

  constructor(node: Node, message: string) {
    super(message);
    this.node = node;
  }
}

/** Thrown where the program would throw: no statement is executed on this way. */
export class DeadEnd extends Error {}

/** A call in progress, or a function around the statement in question. */
type Frame = {
  readonly id: string;
  readonly node: FunctionNode | ClassDeclaration | null;
  readonly outer: Frame | null;
  /** Keys are parameters. If one is missing, only the callers know it. */
  readonly given: Map<Node, Value>;
  readonly self?: Value;
  /** Values of variables that were looked up or assigned. */
  readonly known: Map<Node, Value>;
  readonly decided: Map<string, boolean>;
  /** Which of its possible strings an expression was taken to be. */
  readonly pinned: Map<string, string>;
  /** Whether the function is around the statement, so that its arguments are those of one of its callers. */
  readonly isRoot: boolean;
  /** The functions that were reached from here through their callers, which aren't asked again. */
  readonly callees: ReadonlySet<Node>;
  bound: boolean;
};

type Decision = { readonly key: string; readonly point: string; readonly taken: number; readonly alternatives: number };

const MAX_DEPTH = 300;

/** One way through the code. */
export class Interpreter {
  readonly decisions: Decision[] = [];
  readonly #reached: Set<Node>;
  readonly #sources: Sources;
  /** Whether parameters that hold no SQL also get the values that callers pass. */
  readonly #bindsAll: boolean;
  readonly #plan: ReadonlyMap<string, number>;
  readonly #chosen = new Map<string, number>();
  readonly #modules: Frame;
  #frames = 0;
  #depth = 0;

  constructor(sources: Sources, plan: ReadonlyMap<string, number>, reached: Set<Node>, bindsAll: boolean) {
    this.#reached = reached;
    this.#sources = sources;
    this.#bindsAll = bindsAll;
    this.#plan = plan;
    this.#modules = this.#frame(null, null, new Map());
  }

  /** The value of an expression after what its functions do before it. */
  evaluateAround(expression: Expression): Value {
    return this.#evaluate(expression, this.#rootFrame(expression));
  }

  #frame(
    node: Frame['node'],
    outer: Frame | null,
    given: Map<Node, Value>,
    {
      self,
      isRoot = false,
      callees = new Set(),
    }: { self?: Value | undefined; isRoot?: boolean; callees?: ReadonlySet<Node> } = {},
  ): Frame {
    this.#frames += 1;
    return {
      id: String(this.#frames),
      node,
      outer,
      given,
      ...(self === undefined ? {} : { self }),
      known: new Map(),
      decided: new Map(),
      pinned: new Map(),
      isRoot,
      callees,
      bound: false,
    };
  }

  /** The frame of the function around a node, after the statements before it. */
  #rootFrame(node: Node, callees: ReadonlySet<Node> = new Set()): Frame {
    const around = functionAround(node);
    if (around === undefined) return this.#modules;
    const frame = this.#frame(around, this.#rootFrame(around, callees), new Map(), { isRoot: true, callees });
    if (around.body !== undefined && is.isBlock(around.body)) this.#executeUntil(around.body.statements, node, frame);
    else this.#assumePath(node, around, frame);
    return frame;
  }

  #executeUntil(statements: readonly Statement[], target: Node, frame: Frame): void {
    for (const statement of statements) {
      if (contains(statement, target)) {
        this.#enter(statement, target, frame);
        return;
      }
      // The target is reached, so the statements before it didn't return.
      if (is.isIfStatement(statement) && statement.elseStatement === undefined && alwaysExits(statement.thenStatement))
        this.#assume(statement.expression, false, frame);
      else this.#execute(statement, frame);
    }
  }

  #enter(statement: Statement, target: Node, frame: Frame): void {
    if (is.isBlock(statement)) this.#executeUntil(statement.statements, target, frame);
    else if (is.isIfStatement(statement)) {
      const inThen = contains(statement.thenStatement, target);
      const inElse = statement.elseStatement !== undefined && contains(statement.elseStatement, target);
      if (!inThen && !inElse) {
        this.#assumePath(target, statement, frame);
        return;
      }
      this.#assume(statement.expression, inThen, frame);
      this.#enter(inThen ? statement.thenStatement : statement.elseStatement!, target, frame);
    } else if (is.isForOfStatement(statement) && contains(statement.statement, target)) {
      this.#bindLoop(statement.initializer, this.#anyItem(statement.expression, frame), frame);
      this.#enter(statement.statement, target, frame);
    } else if (
      (is.isForStatement(statement) || is.isWhileStatement(statement)) &&
      contains(statement.statement, target)
    )
      this.#enter(statement.statement, target, frame);
    else if (is.isTryStatement(statement)) {
      for (const block of [statement.tryBlock, statement.catchClause?.block, statement.finallyBlock])
        if (block !== undefined && contains(block, target)) this.#enter(block, target, frame);
    } else this.#assumePath(target, statement, frame);
  }

  /** Decides the conditions between an expression and what is around it as they must have been. */
  #assumePath(target: Node, around: Node, frame: Frame): void {
    for (let node = target; node !== around && node.parent !== undefined; node = node.parent) {
      const { parent } = node;
      if (is.isConditionalExpression(parent) && parent.condition !== node)
        this.#assume(parent.condition, parent.whenTrue === node, frame);
    }
  }

  #assume(condition: Expression, outcome: boolean, frame: Frame): void {
    const node = bare(condition);
    if (is.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken) {
      this.#assume(node.operand as Expression, !outcome, frame);
      return;
    }
    if (is.isBinaryExpression(node)) {
      const { kind } = node.operatorToken;
      const isAnd = kind === SyntaxKind.AmpersandAmpersandToken;
      if (isAnd || kind === SyntaxKind.BarBarToken) {
        if (isAnd !== outcome) return;
        this.#assume(node.left, outcome, frame);
        this.#assume(node.right, outcome, frame);
        return;
      }
    }
    const { text, isNegated } = normalized(node);
    frame.decided.set(text, outcome !== isNegated);
  }

  #execute(statement: Statement, frame: Frame): { returned: Value } | undefined {
    if (is.isBlock(statement)) return this.#executeAll(statement.statements, frame);
    if (is.isReturnStatement(statement))
      return { returned: statement.expression === undefined ? NOTHING : this.#evaluate(statement.expression, frame) };
    if (is.isThrowStatement(statement)) throw new DeadEnd();
    if (is.isIfStatement(statement)) {
      if (!matters(statement)) return undefined;
      if (this.#isTrue(statement.expression, frame)) return this.#execute(statement.thenStatement, frame);
      return statement.elseStatement === undefined ? undefined : this.#execute(statement.elseStatement, frame);
    }
    if (is.isForOfStatement(statement)) {
      if (!matters(statement)) return undefined;
      const list = this.#evaluate(statement.expression, frame);
      const items = list.kind === 'list' ? list.items : [this.#unknown(statement.expression)];
      for (const item of items) {
        this.#forget(statement, frame);
        this.#bindLoop(statement.initializer, item, frame);
        const done = this.#execute(statement.statement, frame);
        if (done !== undefined) return done;
      }
      return undefined;
    }
    if (is.isSwitchStatement(statement)) {
      const { clauses } = statement.caseBlock;
      const value = this.#evaluate(statement.expression, frame);
      const matching = clauses.filter(
        (clause) =>
          value.kind !== 'constant' ||
          is.isDefaultClause(clause) ||
          same(this.#evaluate(clause.expression, frame), value) !== false,
      );
      const first = value.kind === 'constant' ? 0 : this.#choose(statement, matching.length, frame);
      const start = clauses.indexOf(matching[first]!);
      if (start === -1) return undefined;
      const clause = clauses[start]!;
      if (is.isCaseClause(clause) && is.isStringLiteral(clause.expression))
        frame.pinned.set(statement.expression.getText(), clause.expression.text);
      for (const clause of clauses.slice(start)) {
        const done = this.#executeAll(clause.statements, frame);
        if (done !== undefined || clause.statements.some(is.isBreakStatement)) return done;
      }
      return undefined;
    }
    if (is.isTryStatement(statement)) return this.#execute(statement.tryBlock, frame);
    if (is.isForStatement(statement) || is.isWhileStatement(statement))
      return matters(statement) ? this.#execute(statement.statement, frame) : undefined;
    if (is.isExpressionStatement(statement)) this.#perform(statement.expression, frame);
    return undefined;
  }

  #executeAll(statements: readonly Statement[], frame: Frame): { returned: Value } | undefined {
    for (const statement of statements) {
      const done = this.#execute(statement, frame);
      if (done !== undefined) return done;
    }
    return undefined;
  }

  /** Follows `list.push(…)`, `name = …`, `this.name = …` and calls with SQL; others don't build statements. */
  #perform(statement: Expression, frame: Frame): void {
    const expression = bare(statement);
    if (is.isCallExpression(expression)) {
      const callee = bare(expression.expression);
      const isPush = is.isPropertyAccessExpression(callee) && callee.name.text === 'push';
      if (isPush) this.#evaluate(expression, frame);
      else if (
        is.isIdentifier(callee) &&
        expression.arguments.some((arg) => this.#sources.holdsSql(this.#sources.typeOf(arg)))
      ) {
        const called = this.#evaluate(callee, frame);
        if (called.kind === 'function') called.call(this.#arguments(expression, frame));
      }
      return;
    }
    if (!is.isBinaryExpression(expression) || expression.operatorToken.kind !== SyntaxKind.EqualsToken) return;
    const { left, right } = expression;
    if (is.isPropertyAccessExpression(left) && left.expression.kind === SyntaxKind.ThisKeyword) {
      const self = this.#selfOf(frame);
      if (self?.kind === 'object')
        self.fields.set(
          left.name.text,
          once(() => this.#evaluate(right, frame)),
        );
    } else if (is.isIdentifier(left)) {
      const declaration = this.#sources.declarationOf(left);
      const owner = declaration === undefined ? undefined : this.#ownerOf(declaration, frame);
      if (declaration !== undefined && owner !== undefined) owner.known.set(declaration, this.#evaluate(right, frame));
    }
  }

  #bindLoop(initializer: Node, item: Value, frame: Frame): void {
    if (!is.isVariableDeclarationList(initializer)) return;
    for (const declaration of initializer.declarations) frame.known.set(declaration, item);
  }

  /** Variables inside of a loop are new in each round. */
  #forget(loop: Node, frame: Frame): void {
    for (const declaration of frame.known.keys()) if (contains(loop, declaration)) frame.known.delete(declaration);
    frame.decided.clear();
  }

  #anyItem(list: Expression, frame: Frame): Value {
    const value = this.#evaluate(list, frame);
    if (value.kind !== 'list' || value.items.length === 0) return this.#unknown(list);
    return value.items[this.#choose(list, value.items.length, frame)]!;
  }

  /** Takes one of several ways. Each is taken in some run. */
  #choose(node: Node, alternatives: number, frame: Frame, what = ''): number {
    if (alternatives <= 1) return 0;
    const point = `${node.getSourceFile().fileName}:${node.pos}:${node.kind}${what}`;
    const key = `${frame.id}:${point}`;
    const chosen = this.#chosen.get(key);
    if (chosen !== undefined) return chosen;
    const taken = this.#plan.get(key) ?? 0;
    this.#chosen.set(key, taken);
    this.decisions.push({ key, point, taken, alternatives });
    return taken;
  }

  #isTrue(condition: Expression, frame: Frame): boolean {
    const node = bare(condition);
    if (is.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken)
      return !this.#isTrue(node.operand as Expression, frame);
    if (is.isBinaryExpression(node)) {
      const { left, right } = node;
      switch (node.operatorToken.kind) {
        case SyntaxKind.AmpersandAmpersandToken:
          return this.#isTrue(left, frame) && this.#isTrue(right, frame);
        case SyntaxKind.BarBarToken:
          return this.#isTrue(left, frame) || this.#isTrue(right, frame);
        case SyntaxKind.EqualsEqualsEqualsToken:
        case SyntaxKind.ExclamationEqualsEqualsToken: {
          const equal = same(this.#evaluate(left, frame), this.#evaluate(right, frame));
          if (equal === undefined) return this.#decide(node, frame);
          return equal === (node.operatorToken.kind === SyntaxKind.EqualsEqualsEqualsToken);
        }
        default:
          return this.#decide(node, frame);
      }
    }
    const value = this.#evaluate(node, frame);
    if (value.kind === 'constant') return Boolean(value.value);
    return value.kind === 'unknown' ? this.#decide(node, frame) : true;
  }

  #decide(node: Expression, frame: Frame): boolean {
    const { text, isNegated } = normalized(node);
    const decided = this.#outcomeOf(text, frame);
    if (decided !== undefined) return decided !== isNegated;
    const outcome = this.#choose(node, 2, frame) === 0;
    frame.decided.set(text, outcome !== isNegated);
    return outcome;
  }

  #evaluate(expression: Expression, frame: Frame): Value {
    if (this.#depth > MAX_DEPTH) throw new Unfollowed(expression, 'the code nests too deeply to be followed');
    this.#depth += 1;
    try {
      return this.#evaluateNode(bare(expression), frame);
    } finally {
      this.#depth -= 1;
    }
  }

  #evaluateNode(node: Expression, frame: Frame): Value {
    if (is.isStringLiteral(node) || is.isNoSubstitutionTemplateLiteral(node)) return constant(node.text);
    if (is.isNumericLiteral(node)) return constant(Number(node.text));
    if (node.kind === SyntaxKind.TrueKeyword) return constant(true);
    if (node.kind === SyntaxKind.FalseKeyword) return constant(false);
    if (node.kind === SyntaxKind.NullKeyword) return constant(null);
    if (node.kind === SyntaxKind.ThisKeyword) return this.#selfOf(frame) ?? this.#unknown(node);
    if (is.isTaggedTemplateExpression(node)) return this.#evaluateTagged(node, frame);
    if (is.isTemplateExpression(node)) return this.#evaluateTemplate(node, frame);
    if (is.isIdentifier(node)) {
      if (node.text === 'undefined') return NOTHING;
      const value = this.#lookUp(this.#sources.declarationOf(node), node, frame);
      const pinned = value.kind === 'unknown' ? this.#pinnedAs(node.text, frame) : undefined;
      return pinned === undefined ? value : constant(pinned);
    }
    if (is.isConditionalExpression(node))
      return this.#evaluate(this.#isTrue(node.condition, frame) ? node.whenTrue : node.whenFalse, frame);
    if (is.isBinaryExpression(node)) return this.#evaluateBinary(node.left, node.operatorToken.kind, node.right, frame);
    if (is.isArrayLiteralExpression(node)) return this.#evaluateArray(node.elements, frame);
    if (is.isObjectLiteralExpression(node)) return this.#evaluateObject(node.properties, frame);
    if (is.isPropertyAccessExpression(node)) {
      const value = this.#field(this.#evaluate(node.expression, frame), node.name.text, node);
      const pinned = value.kind === 'unknown' ? this.#pinnedAs(node.getText(), frame) : undefined;
      return pinned === undefined ? value : constant(pinned);
    }
    if (is.isElementAccessExpression(node)) {
      const target = this.#evaluate(node.expression, frame);
      const key = this.#evaluate(node.argumentExpression, frame);
      const pinned =
        key.kind === 'unknown' && target.kind === 'object' ? this.#pin(node.argumentExpression, frame) : undefined;
      if (pinned !== undefined) return this.#field(target, pinned, node);
      if (target.kind === 'object' && key.kind === 'unknown') {
        const names = [...target.fields.keys()];
        return names.length === 0
          ? this.#unknown(node)
          : target.fields.get(names[this.#choose(node, names.length, frame)]!)!();
      }
      return key.kind === 'constant' ? this.#field(target, String(key.value), node) : this.#unknown(node);
    }
    if (is.isArrowFunction(node) || is.isFunctionExpression(node)) return this.#closure(node, frame);
    if (is.isCallExpression(node)) return this.#call(node, frame);
    if (is.isNewExpression(node)) return this.#construct(node, frame);
    return this.#unknown(node);
  }

  #evaluateBinary(left: Expression, operator: SyntaxKind, right: Expression, frame: Frame): Value {
    if (operator === SyntaxKind.QuestionQuestionToken) {
      const value = this.#evaluate(left, frame);
      if (value.kind === 'constant') return value.value == null ? this.#evaluate(right, frame) : value;
      if (value.kind !== 'unknown' || !this.#sources.holdsSql(this.#sources.typeOf(right))) return value;
      return this.#decide(left, frame) ? value : this.#evaluate(right, frame);
    }
    if (operator === SyntaxKind.AmpersandAmpersandToken || operator === SyntaxKind.BarBarToken) {
      const value = this.#evaluate(left, frame);
      if (value.kind === 'unknown' && !this.#sources.holdsSql(this.#sources.typeOf(right)))
        return this.#unknown(left.parent);
      const isRight = this.#isTrue(left, frame) === (operator === SyntaxKind.AmpersandAmpersandToken);
      return isRight ? this.#evaluate(right, frame) : value.kind === 'unknown' ? NOTHING : value;
    }
    if (operator === SyntaxKind.EqualsEqualsEqualsToken || operator === SyntaxKind.ExclamationEqualsEqualsToken) {
      const equal = same(this.#evaluate(left, frame), this.#evaluate(right, frame));
      if (equal === undefined) return this.#unknown(left.parent);
      return constant(equal === (operator === SyntaxKind.EqualsEqualsEqualsToken));
    }
    if (operator === SyntaxKind.PlusToken) {
      const [one, other] = [this.#evaluate(left, frame), this.#evaluate(right, frame)];
      if (one.kind === 'constant' && other.kind === 'constant')
        return typeof one.value === 'number' && typeof other.value === 'number'
          ? constant(one.value + other.value)
          : constant(String(one.value) + String(other.value));
      return this.#unknown(left.parent);
    }
    if (
      operator === SyntaxKind.AsteriskToken ||
      operator === SyntaxKind.MinusToken ||
      operator === SyntaxKind.SlashToken
    ) {
      const [one, other] = [this.#evaluate(left, frame), this.#evaluate(right, frame)];
      if (one.kind !== 'constant' || other.kind !== 'constant') return this.#unknown(left.parent);
      const [a, b] = [Number(one.value), Number(other.value)];
      return constant(
        operator === SyntaxKind.AsteriskToken ? a * b : operator === SyntaxKind.MinusToken ? a - b : a / b,
      );
    }
    return this.#unknown(left.parent);
  }

  #evaluateArray(elements: readonly Expression[], frame: Frame): Value {
    const list = { kind: 'list' as const, items: [] as Value[], whole: true };
    for (const element of elements) {
      if (!is.isSpreadElement(element)) {
        list.items.push(this.#evaluate(element, frame));
        continue;
      }
      const spread = this.#evaluate(element.expression, frame);
      if (spread.kind === 'list') list.items.push(...spread.items);
      if (spread.kind !== 'list' || !spread.whole) list.whole = false;
      // Conditions that are chosen elsewhere may also be none; the statement is checked without them.
      if (spread.kind === 'unknown' && !this.#sources.holdsSql(this.#sources.typeOf(element.expression)))
        list.items.push(this.#unknown(element.expression));
    }
    return list;
  }

  #evaluateObject(properties: readonly Node[], frame: Frame): Value {
    const fields = new Map<string, () => Value>();
    for (const property of properties) {
      if (is.isPropertyAssignment(property)) {
        const { initializer } = property;
        fields.set(
          nameOf(property.name),
          once(() => this.#evaluate(initializer, frame)),
        );
      } else if (is.isShorthandPropertyAssignment(property)) {
        const { name } = property;
        fields.set(
          nameOf(name),
          once(() => this.#lookUp(this.#sources.declarationOf(name), name, frame)),
        );
      } else if (is.isMethodDeclaration(property)) {
        fields.set(
          nameOf(property.name),
          once(() => this.#closure(property, frame)),
        );
      } else if (is.isSpreadAssignment(property)) {
        const spread = this.#evaluate(property.expression, frame);
        if (spread.kind === 'constant') continue;
        if (spread.kind !== 'object') return this.#unknown(property.parent);
        for (const [name, field] of spread.fields) fields.set(name, field);
      }
    }
    return { kind: 'object', fields };
  }

  /** The frame that has the variable or parameter. */
  #ownerOf(declaration: Node, frame: Frame): Frame | undefined {
    const around = functionAround(declaration);
    if (around === undefined) return this.#modules;
    for (let at: Frame | null = frame; at !== null; at = at.outer) if (at.node === around) return at;
    return undefined;
  }

  #lookUp(declaration: Node | undefined, use: Node, frame: Frame): Value {
    if (declaration === undefined) return this.#unknown(use);
    const owner = this.#ownerOf(declaration, frame);
    if (owner === undefined) return this.#unknown(use);
    const known = owner.known.get(declaration);
    if (known !== undefined) return known;
    const value = this.#valueOf(declaration, use, owner);
    owner.known.set(declaration, value);
    return value;
  }

  #valueOf(declaration: Node, use: Node, owner: Frame): Value {
    if (is.isSourceFile(declaration)) {
      const exported = [...this.#sources.exportsOf(declaration)];
      const fields = exported.map(([name, of]) => [name, once(() => this.#lookUp(of, use, owner))] as const);
      return { kind: 'object', fields: new Map(fields) };
    }
    if (is.isFunctionDeclaration(declaration)) return this.#closure(declaration, owner);
    if (is.isParameterDeclaration(declaration)) return this.#parameter(declaration, use, owner);
    if (is.isVariableDeclaration(declaration))
      return declaration.initializer === undefined ? NOTHING : this.#evaluate(declaration.initializer, owner);
    if (is.isBindingElement(declaration)) {
      const pattern = declaration.parent;
      const holder = pattern.parent;
      const whole =
        is.isBindingElement(holder) || is.isParameterDeclaration(holder) || is.isVariableDeclaration(holder)
          ? this.#lookUp(holder, use, owner)
          : this.#unknown(use);
      return this.#unpack(declaration, whole, use, owner);
    }
    return this.#unknown(use);
  }

  #unpack(element: BindingElement, whole: Value, use: Node, frame: Frame): Value {
    const pattern = element.parent;
    let value: Value;
    if (is.isArrayBindingPattern(pattern)) value = this.#field(whole, String(pattern.elements.indexOf(element)), use);
    else if (element.dotDotDotToken !== undefined) value = whole;
    else {
      const name = element.propertyName ?? (element.name as BindingName & Node);
      value = this.#field(whole, nameOf(name), use);
    }
    const isMissing = value.kind === 'constant' && value.value === undefined;
    return isMissing && element.initializer !== undefined ? this.#evaluate(element.initializer, frame) : value;
  }

  #parameter(declaration: ParameterDeclaration, use: Node, owner: Frame): Value {
    if (owner.isRoot && !owner.bound && (this.#bindsAll || this.#sources.holdsSql(this.#sources.typeOf(declaration))))
      this.#bindToCaller(owner);
    const given = owner.given.get(declaration);
    const isMissing =
      given === undefined ? owner.bound || !owner.isRoot : given.kind === 'constant' && given.value === undefined;
    if (isMissing && declaration.initializer !== undefined) return this.#evaluate(declaration.initializer, owner);
    if (given === undefined && (owner.bound || !owner.isRoot)) return NOTHING;
    return given ?? this.#unknown(use);
  }

  /** Takes the arguments of one of the calls of the function around the statement. */
  #bindToCaller(frame: Frame): void {
    const { node } = frame;
    const name = node === null || is.isClassDeclaration(node) ? undefined : namedAs(node);
    const callees = new Set([...frame.callees, node!]);
    const calls = (name === undefined ? [] : this.#sources.callsOf(name, nameOf(name.name))).filter(
      (call) => !isInside(call, callees),
    );
    const call = calls[this.#choose(node!, calls.length, frame, 'caller')];
    if (call === undefined) return;
    frame.bound = true;
    const caller = this.#rootFrame(call, callees);
    this.#give(frame, this.#arguments(call, caller));
  }

  #give(frame: Frame, args: readonly Value[]): void {
    const { parameters } = frame.node as FunctionNode;
    parameters.forEach((parameter, index) => {
      if (parameter.dotDotDotToken !== undefined)
        frame.given.set(parameter, { kind: 'list', items: args.slice(index), whole: true });
      else if (args[index] !== undefined) frame.given.set(parameter, args[index]);
    });
  }

  #arguments(call: { readonly arguments?: readonly Expression[] | undefined }, frame: Frame): Value[] {
    const list = this.#evaluateArray(call.arguments ?? [], frame);
    return list.kind === 'list' ? list.items : [];
  }

  #closure(node: FunctionNode, outer: Frame, self?: Value): Value {
    return {
      kind: 'function',
      call: (args) => {
        const frame = this.#frame(node, outer, new Map(), { self });
        this.#give(frame, args);
        if (node.body === undefined) return this.#unknown(node);
        if (!is.isBlock(node.body)) return this.#evaluate(node.body as Expression, frame);
        return this.#executeAll((node.body as Block).statements, frame)?.returned ?? NOTHING;
      },
    };
  }

  #construct(
    node: Expression & { readonly expression: Expression; readonly arguments?: readonly Expression[] | undefined },
    frame: Frame,
  ): Value {
    const of = this.#sources.declarationOf(node.expression);
    if (of === undefined || !is.isClassDeclaration(of)) return this.#unknown(node);
    const fields = new Map<string, () => Value>();
    const self: Value = { kind: 'object', fields, of };
    for (const member of of.members) {
      if (is.isPropertyDeclaration(member) && member.initializer !== undefined) {
        const { initializer } = member;
        const inside = this.#frame(of, this.#modules, new Map(), { self });
        fields.set(
          nameOf(member.name),
          once(() => this.#evaluate(initializer, inside)),
        );
      }
      if (is.isMethodDeclaration(member))
        fields.set(nameOf(member.name), () => this.#closure(member, this.#modules, self));
      if (is.isConstructorDeclaration(member) && member.body !== undefined) {
        const inside = this.#frame(member as unknown as FunctionNode, this.#modules, new Map(), { self });
        this.#give(inside, this.#arguments(node, frame));
        this.#executeAll((member.body as Block).statements, inside);
      }
    }
    return self;
  }

  #selfOf(frame: Frame): Value | undefined {
    for (let at: Frame | null = frame; at !== null; at = at.outer) if (at.self !== undefined) return at.self;
    return undefined;
  }

  #field(target: Value, name: string, use: Node): Value {
    if (target.kind === 'object') return target.fields.get(name)?.() ?? NOTHING;
    if (target.kind === 'list') {
      if (name === 'length') return target.whole ? constant(target.items.length) : this.#unknown(use);
      if (/^\d+$/.test(name)) return target.items[Number(name)] ?? (target.whole ? NOTHING : this.#unknown(use));
    }
    if (target.kind === 'constant') {
      if (target.value == null) return NOTHING;
      if (name === 'length' && typeof target.value === 'string') return constant(target.value.length);
    }
    return this.#unknown(use);
  }

  #call(node: CallExpression, frame: Frame): Value {
    const callee = bare(node.expression);
    if (is.isPropertyAccessExpression(callee)) {
      if (this.#isKysely(callee.expression)) return this.#callKysely(node, callee.name.text, frame);
      if (is.isIdentifier(callee.expression) && callee.expression.text === 'Object')
        return this.#callObject(node, callee.name.text, frame);
      const target = this.#evaluate(callee.expression, frame);
      if (target.kind === 'object') {
        const method = target.fields.get(callee.name.text)?.();
        return method?.kind === 'function' ? method.call(this.#arguments(node, frame)) : this.#unknown(node);
      }
      return this.#callBuiltIn(target, callee.name.text, node, frame);
    }
    if (is.isIdentifier(callee) && callee.text === 'keepPlan') return this.#evaluate(node.arguments[0]!, frame);
    if (!this.#isWorthCalling(node)) return this.#unknown(node);
    if (is.isIdentifier(callee) && callee.text === 'String') return this.#arguments(node, frame)[0] ?? NOTHING;
    const target = this.#evaluate(callee, frame);
    return target.kind === 'function' ? target.call(this.#arguments(node, frame)) : this.#unknown(node);
  }

  /** Whether what is returned can be a part of a statement. */
  #isWorthCalling(node: CallExpression): boolean {
    const type = this.#sources.typeOf(node);
    if (type === undefined) return false;
    if (this.#sources.holdsSql(type)) return true;
    const text = this.#sources.checker.typeToString(type);
    return /^(readonly )?(string|"[^"]*"( \| "[^"]*")*)(\[\])*$/.test(text);
  }

  #callKysely(node: CallExpression, name: string, frame: Frame): Value {
    const [first, second] = this.#arguments(node, frame);
    if (name === 'join') {
      const separator = second === undefined ? [', '] : this.#partsOf(second, node);
      const isCondition = /^ (and|or) $/.test(String(separator[0]));
      if (first?.kind !== 'list') {
        const type = node.arguments[0] && this.#sources.typeOf(node.arguments[0]);
        if (!this.#sources.holdsSql(type))
          return { kind: 'sql', parts: [{ parameter: node.arguments[0] ?? node }], site: node };
        if (isCondition) return { kind: 'sql', parts: ['true'], site: node };
        throw new Unfollowed(node, 'the parts of this list are not known');
      }
      if (first.items.length === 0 && !first.whole && isCondition) return { kind: 'sql', parts: ['true'], site: node };
      const parts = first.items.flatMap((item, index) => [
        ...(index === 0 ? [] : separator),
        ...this.#partsOf(item, node),
      ]);
      return { kind: 'sql', parts, site: node };
    }
    if (name === 'lit' && first?.kind === 'unknown')
      return { kind: 'sql', parts: [this.#anyLiteral(first.node)], site: node };
    const value = this.#constantOf(first, node.arguments[0] ?? node, frame);
    if (name === 'raw') return { kind: 'sql', parts: [String(value)], site: node };
    if (name === 'lit') return { kind: 'sql', parts: [literal(value)], site: node };
    return {
      kind: 'sql',
      parts: [
        String(value)
          .split('.')
          .map((part) => `"${part}"`)
          .join('.'),
      ],
      site: node,
    };
  }

  #callObject(node: CallExpression, name: string, frame: Frame): Value {
    const [first] = this.#arguments(node, frame);
    if (first?.kind !== 'object') return this.#unknown(node);
    const items = [...first.fields].map(([key, field]): Value => {
      if (name === 'keys') return constant(key);
      return name === 'values' ? field() : { kind: 'list', items: [constant(key), field()], whole: true };
    });
    return { kind: 'list', items, whole: true };
  }

  #callBuiltIn(target: Value, name: string, node: CallExpression, frame: Frame): Value {
    if (target.kind === 'unknown' || target.kind === 'list') {
      if (name === 'map' || name === 'flatMap') {
        if (!this.#isWorthCalling(node)) return this.#unknown(node);
        const [each] = this.#arguments(node, frame);
        if (each?.kind !== 'function') return this.#unknown(node);
        const items = target.kind === 'list' ? target.items : [this.#unknown(node.expression)];
        const results = items.map((item, index) =>
          each.call([item, target.kind === 'list' ? constant(index) : this.#unknown(node)]),
        );
        const flat =
          name === 'map' ? results : results.flatMap((result) => (result.kind === 'list' ? result.items : [result]));
        return { kind: 'list', items: flat, whole: target.kind === 'list' && target.whole };
      }
    }
    if (target.kind === 'list') {
      if (name === 'filter') {
        const [keeps] = node.arguments;
        const decide = keeps === undefined ? undefined : bare(keeps);
        if (decide === undefined || !is.isArrowFunction(decide) || is.isBlock(decide.body)) return target;
        const items = target.items.filter((item) => {
          const inside = this.#frame(decide, frame, new Map());
          this.#give(inside, [item]);
          return this.#isTrue(decide.body as Expression, inside);
        });
        return { kind: 'list', items, whole: target.whole };
      }
      const args = this.#arguments(node, frame);
      if (name === 'push') {
        target.items.push(...args);
        return constant(target.items.length);
      }
      if (name === 'join') {
        const [separator] = args;
        if (!target.whole || !target.items.every((item) => item.kind === 'constant')) return this.#unknown(node);
        const texts = target.items.map((item) => this.#constantOf(item, node, frame));
        return constant(texts.join(separator?.kind === 'constant' ? String(separator.value) : ','));
      }
      if (name === 'concat')
        return {
          kind: 'list',
          items: [...target.items, ...args.flatMap((arg) => (arg.kind === 'list' ? arg.items : [arg]))],
          whole: target.whole,
        };
      if (name === 'slice') {
        const [from, to] = args.map((arg) => (arg.kind === 'constant' ? Number(arg.value) : undefined));
        return { kind: 'list', items: target.items.slice(from, to), whole: target.whole };
      }
    }
    if (target.kind === 'constant' && typeof target.value === 'string') {
      if (name === 'toUpperCase') return constant(target.value.toUpperCase());
      if (name === 'toLowerCase') return constant(target.value.toLowerCase());
    }
    return this.#unknown(node);
  }

  /** A value whose text the statement contains. One of a known set of strings becomes each of them in some run. */
  #constantOf(value: Value | undefined, use: Node, frame: Frame): string | number | boolean | null | undefined {
    if (value?.kind === 'constant') return value.value;
    const node = value?.kind === 'unknown' ? value.node : use;
    const pinned = this.#pin(node, frame);
    if (pinned !== undefined) return pinned;
    throw new Unfollowed(node, 'a part of the text of this statement is known only when the program runs');
  }

  /** Takes an expression to be one of the strings that its type allows, as the conditions before it allow. */
  #pin(node: Node, frame: Frame): string | undefined {
    const type = this.#sources.typeOf(node);
    const members = type === undefined ? [] : Sources.members(type);
    if (members.length === 0 || !members.every((member) => member.isStringLiteralType())) return undefined;
    const text = node.getText();
    const pinned = this.#pinnedAs(text, frame);
    if (pinned !== undefined) return pinned;
    const literals = members.map((member) => String((member as { readonly value?: unknown }).value));
    const outcomes = literals.map((literal) => this.#outcomeOf(`${text} === '${literal}'`, frame));
    const possible = outcomes.includes(true)
      ? literals.filter((_, index) => outcomes[index] === true)
      : literals.filter((_, index) => outcomes[index] !== false);
    const taken = possible[this.#choose(node, possible.length, frame, 'literal')]!;
    frame.pinned.set(text, taken);
    return taken;
  }

  #pinnedAs(text: string, frame: Frame): string | undefined {
    for (let at: Frame | null = frame; at !== null; at = at.outer) {
      const pinned = at.pinned.get(text);
      if (pinned !== undefined) return pinned;
    }
    return undefined;
  }

  #outcomeOf(text: string, frame: Frame): boolean | undefined {
    for (let at: Frame | null = frame; at !== null; at = at.outer) {
      const decided = at.decided.get(text);
      if (decided !== undefined) return decided;
    }
    return undefined;
  }

  #anyLiteral(node: Node): string {
    const type = this.#sources.typeOf(node);
    return type !== undefined && /^(number|boolean)$/.test(this.#sources.checker.typeToString(type)) ? '1' : "''";
  }

  #evaluateTemplate(
    node: Exclude<TemplateLiteral, { kind: SyntaxKind.NoSubstitutionTemplateLiteral }>,
    frame: Frame,
  ): Value {
    let text = node.head.text;
    for (const span of node.templateSpans) {
      const value = this.#evaluate(span.expression, frame);
      if (value.kind !== 'constant') {
        const type = this.#sources.typeOf(span.expression);
        if (type === undefined || !Sources.members(type).every((member) => member.isLiteralType()))
          return this.#unknown(node);
      }
      text += String(this.#constantOf(value, span.expression, frame)) + span.literal.text;
    }
    return constant(text);
  }

  #evaluateTagged(node: TaggedTemplateExpression, frame: Frame): Value {
    if (!this.#isKysely(node.tag)) return this.#unknown(node);
    this.#reached.add(node);
    const { template } = node;
    if (is.isNoSubstitutionTemplateLiteral(template)) return { kind: 'sql', parts: [template.text], site: node };
    const parts: Part[] = [template.head.text];
    for (const span of template.templateSpans)
      parts.push(...this.#partsOf(this.#evaluate(span.expression, frame), span.expression), span.literal.text);
    return { kind: 'sql', parts, site: node };
  }

  /** Whether this is `sql` of Kysely, and not a module of ours that is imported by this name. */
  #isKysely(node: Node): boolean {
    return is.isIdentifier(node) && node.text === 'sql' && this.#sources.declarationOf(node) === undefined;
  }

  #partsOf(value: Value, use: Node): readonly Part[] {
    if (value.kind === 'sql') return value.parts;
    const node = value.kind === 'unknown' ? value.node : use;
    if (value.kind === 'unknown' && this.#sources.holdsSql(this.#sources.typeOf(node)))
      throw new Unfollowed(node, 'this part of the statement cannot be followed');
    return [{ parameter: use }];
  }

  #unknown(node: Node): Value {
    return { kind: 'unknown', node };
  }
}

function once<T>(compute: () => T): () => T {
  let result: { value: T } | undefined;
  return () => {
    result ??= { value: compute() };
    return result.value;
  };
}

/** Whether two values are equal; undefined if that is not known. */
function same(one: Value, other: Value): boolean | undefined {
  if (one.kind === 'constant' && other.kind === 'constant') return one.value === other.value;
  return one.kind === 'unknown' || other.kind === 'unknown' ? undefined : false;
}

function literal(value: string | number | boolean | null | undefined): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}
