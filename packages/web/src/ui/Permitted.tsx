// Controls that only some roles may use. For everyone else, they are left out or can't be changed, and a sentence says
// who may use them.
import { type Operation, roleScopeOf } from '@chauffeur/contract/operation';
import { formatOnlyThey } from '@chauffeur/contract/roles';
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMay } from '../frame/own-role.ts';
import { Notice } from './Notice.tsx';
import classes from './Permitted.module.css';

type PermittedProps = {
  /** What the controls call. */
  operation: Operation;
  /** What they are for, as a verb: `change the alerts`. Without it, they are left out without a sentence. */
  to?: string;
  children: ReactNode;
};

/** Shows nothing but the sentence to people whose role is too low. */
export function Permitted({ operation, to, children }: PermittedProps) {
  if (useMay(operation)) return children;
  return to === undefined ? null : <Text size="sm">{formatWho(operation, to)}</Text>;
}

/** Shows the values of the fields to people whose role is too low, below the sentence. The buttons are left out. */
export function PermittedFields({ operation, to, children }: PermittedProps) {
  if (useMay(operation)) return children;
  return (
    <>
      {to !== undefined && <Notice tone="none" title={formatWho(operation, to)} />}
      <fieldset disabled className={classes.values}>
        {children}
      </fieldset>
    </>
  );
}

function formatWho(operation: Operation, to: string): string {
  return formatOnlyThey(operation.role ?? 'owner', roleScopeOf(operation), to);
}
