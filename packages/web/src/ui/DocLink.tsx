// A link to the documentation, whose pages are not part of this program.
import { Anchor, type AnchorProps } from '@mantine/core';
import type { ReactNode } from 'react';

type DocLinkProps = AnchorProps & {
  /** Missing for the start page. It may have an anchor: `builds#storage-quota`. */
  page?: string;
  className?: string | undefined;
  children: ReactNode;
};

export function DocLink({ page, ...rest }: DocLinkProps) {
  return <Anchor href={page === undefined ? '/docs' : `/docs/${page}`} {...rest} />;
}
