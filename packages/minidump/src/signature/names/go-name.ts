// Normalizes Go function names: removes type arguments and keeps a method's `(*Type)`, which is part of its name.
import { replaceGroups } from './brackets.ts';

/** `main.(*Pool[go.shape.int]).Get` becomes `main.(*Pool).Get`. */
export function normalizeGoName(name: string): string {
  return replaceGroups(name.trim(), '[', () => '');
}
