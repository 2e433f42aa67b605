// A size as people say it, with the exact one when it is pointed at.
import { sayBytes } from '@chauffeur/contract/sizes';
import { sayExactNumber } from './say.ts';

export function Bytes({ count }: { count: number }) {
  return <span title={`${sayExactNumber(count)} bytes`}>{sayBytes(count)}</span>;
}
