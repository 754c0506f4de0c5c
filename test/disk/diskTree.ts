/** The contents of a directory on an in-memory disk, in a form that can be compared. */

/** A file or a directory. */
interface TreeNode {
  readonly isDirectory: boolean;
  readonly mode: number;
  readonly bytes: Buffer;
  /** The entries of a directory: the node number for each name. */
  readonly names: ReadonlyMap<string, number>;
}

/** The entries below `directory`, found by walking the tree from `node`, which is at `path`. */
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
