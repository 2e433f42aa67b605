// A command of the server, as it is called on the server's machine.
import { getSetup } from '@chauffeur/contract/operations/setup';
import { quote } from '@chauffeur/contract/shell';
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { CopyText } from '../../ui/CopyText.tsx';

export function ServerCommand({ words, label = 'command' }: { words: readonly string[]; label?: string }) {
  const { data } = useQuery(ask(getSetup, {}));
  if (data === undefined) return <Skeleton h={38} />;
  const quoted = words.map((word) => quote(word, 'sh'));
  return <CopyText text={[data.command, ...quoted].join(' ')} label={label} block />;
}
