// Copies the stack as text, with a button or the y key.
import type { CrashStack } from '@chauffeur/contract/operations/crash-stacks';
import { Button, Kbd } from '@mantine/core';
import { useShortcuts } from '../../frame/use-shortcuts.ts';
import { useCopy } from '../../ui/use-copy.ts';
import { formatStack } from './format-stack.ts';

const SHORTCUTS = [{ name: 'copy', keys: ['y'], description: 'Copy stack as text' }] as const;

const LABELS = { idle: 'Copy stack', copied: 'Stack copied', failed: 'Copying was blocked by the browser' } as const;

export function CopyStack({ title, stack }: { title: string; stack: CrashStack }) {
  const { state, copy } = useCopy();
  const copyStack = () => void copy(formatStack(title, stack));
  useShortcuts(SHORTCUTS, copyStack);
  return (
    <Button size="xs" variant="default" onClick={copyStack} rightSection={<Kbd size="xs">y</Kbd>} aria-live="polite">
      {LABELS[state]}
    </Button>
  );
}
