// The link that opens a row of a list: the keys j and k move between these links, and Enter follows the focused one.
import { Anchor, type AnchorProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';
import table from './table.module.css';

type RowAnchorProps = AnchorProps & Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>;

/** A link to a public page, which the server writes. */
export function RowAnchor({ className = table.main, ...props }: RowAnchorProps) {
  return <Anchor {...props} className={className} data-row />;
}

export const RowLink = createLink(RowAnchor);
