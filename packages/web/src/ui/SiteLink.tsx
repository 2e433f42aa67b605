// A link to another page of the site, styled by the theme.
import { Anchor } from '@mantine/core';
import { createLink } from '@tanstack/react-router';

export const SiteLink = createLink(Anchor<'a'>);
