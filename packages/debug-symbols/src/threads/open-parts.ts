// Opens in a thread what another one shares.
import { openDwarfParts, type SharedDwarfParts } from '../dwarf-parts.ts';
import { openPdbParts, type SharedPdbParts } from '../pdb/pdb-parts.ts';
import type { Parts } from './work.ts';

export function openParts(shared: SharedDwarfParts | SharedPdbParts): Parts {
  return shared.kind === 'dwarf' ? openDwarfParts(shared) : openPdbParts(shared);
}
