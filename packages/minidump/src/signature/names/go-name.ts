// Normalises the name of a Go function: without type arguments; a method's `(*Type)` is part of its name.
import { replaceGroups } from './brackets.ts';

/** `main.(*Pool[go.shape.int]).Get` is `main.(*Pool).Get`. */
export function normalizeGoName(name: string): string {
  return replaceGroups(name.trim(), '[', () => '');
}
