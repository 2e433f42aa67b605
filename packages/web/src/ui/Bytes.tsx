// A size in bytes, with the exact number on hover.
import { formatBytes, formatNumber } from '@chauffeur/contract/format';

export function Bytes({ count }: { count: number }) {
  return <span title={`${formatNumber(count)} bytes`}>{formatBytes(count)}</span>;
}
