// Resolves or reopens a crash group. Both happen at once and can be undone.
import { LIMITS } from '@chauffeur/contract/limits';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useId, useState } from 'react';
import { Dialog } from '../../ui/Dialog.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Problem } from '../../ui/Problem.tsx';
import classes from './crashes.module.css';
import type { useResolve } from './use-resolve.ts';

type Resolving = ReturnType<typeof useResolve>;

type ResolveButtonProps = {
  status: 'open' | 'resolved';
  /** Newest first, without duplicates. */
  versions: readonly string[];
  resolving: Resolving;
};

export function ResolveButton({ status, versions, resolving }: ResolveButtonProps) {
  const [isOpen, setOpen] = useState(false);
  if (status === 'resolved') {
    return (
      <Button variant="default" loading={resolving.isPending} onClick={() => resolving.mutate({ status: 'open' })}>
        Reopen
      </Button>
    );
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>Resolve</Button>
      {isOpen && <ResolveDialog versions={versions} resolving={resolving} onClose={() => setOpen(false)} />}
    </>
  );
}

type ResolveDialogProps = Pick<ResolveButtonProps, 'versions' | 'resolving'> & { onClose: () => void };

function ResolveDialog({ versions, resolving, onClose }: ResolveDialogProps) {
  const [version, setVersion] = useState('');
  const list = useId();
  const fixedIn = version.trim() === '' ? null : version.trim();
  return (
    <Dialog title="Resolve crash group" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          resolving.mutate({ status: 'resolved', fixedIn });
          onClose();
        }}
      >
        <Stack gap="md">
          <TextInput
            label="Fixed in version"
            description="Can be a version that isn't released yet. If empty, the next registered build counts as fixed."
            maxLength={LIMITS.versionLength}
            value={version}
            list={list}
            autoComplete="off"
            data-autofocus
            onChange={(event) => setVersion(event.currentTarget.value)}
          />
          <datalist id={list}>
            {versions.map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
          <Text size="sm">
            {fixedIn === null
              ? 'Reports from existing builds still count here. A report from a build registered after this moment reopens the group as a regression.'
              : `Reports from older builds still count here. A report from ${fixedIn} or a later build reopens the group as a regression.`}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit">{fixedIn === null ? 'Resolve' : `Resolve as fixed in ${fixedIn}`}</Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

export function ResolveResult({ resolving }: { resolving: Resolving }) {
  const { data, error, isPending, variables } = resolving;
  if (error !== null && variables !== undefined) {
    return <Problem error={error} onRetry={() => resolving.mutate(variables)} />;
  }
  return (
    <div role="status" className={classes.live}>
      {data !== undefined && (
        <Notice tone="good" title={data.message}>
          <Group>
            <Button size="compact-sm" variant="default" loading={isPending} onClick={() => resolving.mutate(data.undo)}>
              Undo
            </Button>
          </Group>
        </Notice>
      )}
    </div>
  );
}
