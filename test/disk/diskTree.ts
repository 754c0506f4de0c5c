/** Everything below a directory of a disk in memory, in a form for comparisons. */

/** A file or a directory. */
interface TreeNode {
  readonly isDirectory: boolean;
  readonly mode: number;
  readonly bytes: Buffer;
  /** The entries of a directory: the number of the node for each name. */
  readonly names: ReadonlyMap<string, number>;
}

/** The tree below `directory`, a prefix of paths; `node` is the node at `path`. */
export function treeOf(
  nodes: ReadonlyMap<number, TreeNode>,
  node: TreeNode,
  path: string,
  directory: string,
): Map<string, string | undefined> {
  const tree = new Map<string, string | undefined>();
  for (const [name, inode] of node.names) {
    const child = nodes.get(inode) as TreeNode;
    const at = `${path}/${name}`;
    if (at.startsWith(`${directory}/`)) {
      tree.set(at, child.isDirectory ? undefined : `${child.mode.toString(8)} ${child.bytes.toString()}`);
    }
    if (child.isDirectory) for (const [below, text] of treeOf(nodes, child, at, directory)) tree.set(below, text);
  }
  return tree;
}
