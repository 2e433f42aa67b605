// Copies the stack as text, with a button or the y key.
import type { CrashStack } from '@chauffeur/contract/operations/crash-stacks';
import { Button, Kbd } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useShortcuts } from '../../frame/use-shortcuts.ts';
import { formatStack } from './format-stack.ts';

const SHORTCUTS = [{ name: 'copy', keys: ['y'], description: 'Copy stack as text' }] as const;

export function CopyStack({ title, stack }: { title: string; stack: CrashStack }) {
  const { copied, copy, error } = useClipboard();
  const copyStack = () => copy(formatStack(title, stack));
  useShortcuts(SHORTCUTS, copyStack);
  const label = copied ? 'Stack copied' : 'Copy stack';
  return (
    <Button size="xs" variant="default" onClick={copyStack} rightSection={<Kbd size="xs">y</Kbd>} aria-live="polite">
      {error === null ? label : 'Copying was blocked by the browser'}
    </Button>
  );
}
