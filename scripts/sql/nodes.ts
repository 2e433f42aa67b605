// Questions about the syntax of the sources, which need neither values nor types.
import {
  type ArrowFunction,
  type Expression,
  type FunctionDeclaration,
  type FunctionExpression,
  type MethodDeclaration,
  type Node,
  type Statement,
  SyntaxKind,
} from 'typescript/unstable/ast';
import * as is from 'typescript/unstable/ast/is';

export type FunctionNode = FunctionDeclaration | FunctionExpression | ArrowFunction | MethodDeclaration;

/** Returns the expression without what doesn't change the value: parentheses, `await`, `as`, `!` and `satisfies`. */
export function bare(expression: Expression): Expression {
  let node = expression;
  while (
    is.isParenthesizedExpression(node) ||
    is.isAsExpression(node) ||
    is.isNonNullExpression(node) ||
    is.isSatisfiesExpression(node) ||
    is.isAwaitExpression(node)
  )
    node = node.expression;
  return node;
}

/** Conditions with the same text have the same outcome in one call. */
export function normalized(node: Expression): { text: string; isNegated: boolean } {
  if (is.isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.ExclamationEqualsEqualsToken)
    return { text: `${node.left.getText()} === ${node.right.getText()}`, isNegated: true };
  return { text: node.getText().replace(/\s+/g, ' '), isNegated: false };
}

export function nameOf(name: Node): string {
  return (name as Node & { readonly text: string }).text;
}

export function contains(outer: Node, inner: Node): boolean {
  return outer.getSourceFile() === inner.getSourceFile() && outer.pos <= inner.pos && inner.end <= outer.end;
}

function isFunctionNode(node: Node): node is FunctionNode {
  return (
    is.isFunctionDeclaration(node) ||
    is.isFunctionExpression(node) ||
    is.isArrowFunction(node) ||
    is.isMethodDeclaration(node) ||
    is.isConstructorDeclaration(node)
  );
}

export function functionAround(node: Node): FunctionNode | undefined {
  for (let at = node.parent; at !== undefined; at = at.parent) if (isFunctionNode(at)) return at;
  return undefined;
}

export function isInside(node: Node, functions: ReadonlySet<Node>): boolean {
  for (let at = functionAround(node); at !== undefined; at = functionAround(at)) if (functions.has(at)) return true;
  return false;
}

/** The declaration by whose name a function is called. */
export function namedAs(node: FunctionNode): (Node & { readonly name: Node }) | undefined {
  if (is.isFunctionDeclaration(node) && node.name !== undefined) return node as Node & { readonly name: Node };
  return is.isVariableDeclaration(node.parent) ? node.parent : undefined;
}

export function alwaysExits(statement: Statement): boolean {
  if (is.isReturnStatement(statement) || is.isThrowStatement(statement)) return true;
  if (is.isContinueStatement(statement) || is.isBreakStatement(statement)) return true;
  return is.isBlock(statement) && statement.statements.some(alwaysExits);
}

/** Whether a statement can change a variable, return or throw. */
export function matters(statement: Node): boolean {
  if (is.isReturnStatement(statement) || is.isThrowStatement(statement)) return true;
  if (is.isBinaryExpression(statement) && statement.operatorToken.kind === SyntaxKind.EqualsToken) return true;
  if (is.isExpressionStatement(statement) && is.isCallExpression(bare(statement.expression))) return true;
  if (isFunctionNode(statement)) return false;
  return statement.forEachChild((child) => matters(child) || undefined) ?? false;
}
