// Copies the stack as text, by a button or by one key.
import { Button, Kbd } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useShortcuts } from '../../frame/use-shortcuts.ts';
import { type CrashStack, writeStack } from './stack-lines.ts';

const SHORTCUTS = [{ name: 'copy', keys: ['y'], says: 'Copy the stack as text' }] as const;

export function CopyStack({ title, stack }: { title: string; stack: CrashStack }) {
  const { copied, copy, error } = useClipboard();
  const act = () => copy(writeStack(title, stack));
  useShortcuts(SHORTCUTS, act);
  const says = error !== null ? 'Copying is not allowed here' : copied ? 'Stack copied' : 'Copy stack';
  return (
    <Button size="xs" variant="default" onClick={act} rightSection={<Kbd size="xs">y</Kbd>} aria-live="polite">
      {says}
    </Button>
  );
}
