// Marks a group as fixed in a version, or opens it again; done at once, with the way back.
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
  /** The newest first, each once. */
  versions: readonly string[];
  resolving: Resolving;
};

export function ResolveButton({ status, versions, resolving }: ResolveButtonProps) {
  const [asks, setAsks] = useState(false);
  if (status === 'resolved') {
    return (
      <Button variant="default" loading={resolving.isPending} onClick={() => resolving.mutate({ status: 'open' })}>
        Open again
      </Button>
    );
  }
  return (
    <>
      <Button onClick={() => setAsks(true)}>Resolve</Button>
      {asks && <ResolveDialog versions={versions} resolving={resolving} onClose={() => setAsks(false)} />}
    </>
  );
}

type ResolveDialogProps = Pick<ResolveButtonProps, 'versions' | 'resolving'> & { onClose: () => void };

function ResolveDialog({ versions, resolving, onClose }: ResolveDialogProps) {
  const [version, setVersion] = useState('');
  const list = useId();
  const fixedIn = version.trim() === '' ? null : version.trim();
  return (
    <Dialog title="Resolve this group" onClose={onClose}>
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
            description="It need not be shipped yet. Left empty, the next build that is registered counts as fixed."
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
            Reports of older builds still count here.{' '}
            {fixedIn === null
              ? 'A report of a build that is registered from now on'
              : `A report of ${fixedIn} or of a later build`}{' '}
            opens the group again, marked as one that came back.
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
    return <Problem error={error} again={() => resolving.mutate(variables)} />;
  }
  return (
    <div role="status" className={classes.live}>
      {data !== undefined && (
        <Notice tone="good" title={data.says}>
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
