// Writes columns of values as PostgreSQL’s array literals (its manual, "Array Input and Output Syntax"). The driver does it, too, but takes
// three times as long, which counts where a batch has tens of thousands of values.

/** Texts that need no quotes: none of them is empty, and the word NULL is told apart by its caller. */
const PLAIN = /^[\w-]+$/;

/** Of texts and nulls. Null when all of them are: `unnest` then fills up with nulls by itself, and nothing is sent. */
export function textArray(values: readonly (string | null)[]): string | null {
  let isEmpty = true;
  const elements = values.map((value) => {
    if (value === null) return 'NULL';
    isEmpty = false;
    return PLAIN.test(value) && !isNull(value) ? value : quote(value);
  });
  return isEmpty ? null : `{${elements.join(',')}}`;
}

/** Of numbers and nulls; null when all of them are null. */
export function numberArray(values: readonly (number | null)[]): string | null {
  if (values.every((value) => value === null)) return null;
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}

export function booleanArray(values: readonly boolean[]): string {
  return `{${values.map((value) => (value ? 't' : 'f')).join(',')}}`;
}

function isNull(text: string): boolean {
  return text.length === 4 && text.toUpperCase() === 'NULL';
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
