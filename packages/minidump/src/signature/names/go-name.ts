// Normalizes Go function names: removes type arguments and keeps a method's `(*Type)`, which is part of its name.
import { replaceGroups } from './brackets.ts';

/** Closures and wrappers, numbered in each function: `main.load.func2.1`, `main.load.gowrap1`. */
const NUMBERED = /\.(func|gowrap|deferwrap)\d+(?:\.\d+)*(?=$|\.)/g;

/** `main.(*Pool[go.shape.int]).Get.func2` becomes `main.(*Pool).Get.func`. */
export function normalizeGoName(name: string): string {
  return replaceGroups(name.trim(), '[', () => '').replace(NUMBERED, '.$1');
}
