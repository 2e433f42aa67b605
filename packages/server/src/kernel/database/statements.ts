// Splits a file of SQL into its statements. Citus passes a change of a distributed table on to other servers, which take
// one statement at a time.

/** Comments, quoted texts and names, bodies of functions, and everything else up to the next of these or a semicolon. */
const PART = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1|;|[^-/'"$;]+|[\s\S]/g;

/** The statements without their semicolons. Not for texts with `\\'`, or functions without quotes. */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let current = '';
  let isEmpty = true;
  for (const [part] of sql.matchAll(PART)) {
    if (part === ';') {
      if (!isEmpty) statements.push(current.trim());
      current = '';
      isEmpty = true;
      continue;
    }
    current += part;
    if (!/^(--|\/\*|\s*$)/.test(part)) isEmpty = false;
  }
  if (!isEmpty) statements.push(current.trim());
  return statements;
}
