// Recipes and bundles of small trees, as the command makes them.
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { packBlockSync } from '@chauffeur/deltas/blocks';
import { BlockSet, bundleHead, lengthOf, makeRecipe, type Recipe, type RecipeEntry } from '@chauffeur/deltas/bundle';
import { cut, DEFAULT_SIZES } from '@chauffeur/deltas/cutter';
import { BLOCK_HASH_BYTES, encodeManifest, packManifest } from '@chauffeur/deltas/manifest';

/** Content by path. Files that end in `.pak` are stored, the others deflated; a string is the target of a link. */
export type Tree = Readonly<Record<string, Buffer | string>>;

export type TestBundle = {
  readonly recipe: Recipe;
  readonly packedRecipe: Buffer<ArrayBuffer>;
  /** Returns the bundle with the blocks of which the server has said that they are missing; all without an answer. */
  fill(missing?: string): Buffer<ArrayBuffer>;
};

export function bundleOf(tree: Tree, origin: Partial<Recipe['origin']> = {}): TestBundle {
  const entries: RecipeEntry[] = [];
  const [contents, stored, crcs]: [Buffer[], boolean[], number[]] = [[], [], []];
  for (const path of Object.keys(tree).sort()) {
    const content = tree[path]!;
    if (typeof content === 'string') {
      entries.push({ path, type: 'link', target: content });
      continue;
    }
    const isStored = content.length === 0 || path.endsWith('.pak');
    const firstBlock = contents.length;
    let at = 0;
    for (const length of cut(content, isStored ? DEFAULT_SIZES.stored : DEFAULT_SIZES.packed)) {
      contents.push(content.subarray(at, at + length));
      stored.push(isStored);
      at += length;
    }
    if (content.length > 0) crcs.push(crc32(content));
    entries.push({
      ...{ path, type: 'file', mode: 0o644, size: content.length, sha256: sha256(content) },
      ...{ method: isStored ? 'stored' : 'blocks', firstBlock, blocks: contents.length - firstBlock },
    });
  }
  const recipe = makeRecipe({
    origin: { game: '', build: '', file: '', version: '', os: 'linux', arch: 'x86_64', ...origin },
    sizes: DEFAULT_SIZES,
    entries,
    blocks: {
      count: contents.length,
      hashes: Buffer.concat(contents.map((raw) => sha256(raw).subarray(0, BLOCK_HASH_BYTES))),
      lengths: Uint32Array.from(contents, ({ length }) => length),
    },
  });
  const packedRecipe = Buffer.from(packManifest(encodeManifest(recipe)));
  return {
    recipe,
    packedRecipe,
    fill(missing) {
      const included = new BlockSet(
        contents.length,
        missing === undefined ? undefined : Buffer.from(missing, 'base64'),
      );
      if (missing === undefined) for (const block of contents.keys()) included.add(block);
      const pieces = contents.flatMap((raw, block) => {
        if (!included.has(block)) return [];
        const packed = stored[block] ? raw : packBlockSync(raw, 6);
        return [lengthOf(packed.length), packed];
      });
      return Buffer.concat([bundleHead(packedRecipe, { crcs: Uint32Array.from(crcs), included }), ...pieces]);
    },
  };
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
