/** A client's subscriptions to resources, as all revisions of MCP have them. */
import { limits } from "../../text/limits.js";
import { protocolErrors } from "./sentences.js";
import { errorCodes, RequestError, type ToolServer } from "./toolServer.js";

/** The name of the property that says to which subscription a notification belongs, since revision 2026-07-28. */
const subscriptionKey = "io.modelcontextprotocol/subscriptionId";

/** The subscriptions of one client. */
export class Subscriptions {
  /** The functions that end the subscriptions of a client that began with `initialize`, by URI; empty for the list. */
  private readonly ends = new Map<string, Promise<() => void>>();

  constructor(
    private readonly server: Pick<ToolServer, "resources">,
    private readonly send: (message: object) => void,
  ) {}

  /** Serves a request of a client that began with `initialize`; returns `undefined` if it is not about a subscription. */
  async serve(method: string, { uri }: Readonly<Record<string, unknown>>): Promise<object | undefined> {
    // Such a client does not say that it wants to know of a new list; one that never reads the list does not.
    if (method === "resources/list") await this.add("", { hasList: true, uris: [] });
    if (method !== "resources/subscribe" && method !== "resources/unsubscribe") return undefined;
    if (typeof uri !== "string" || uri === "") throw new RequestError(errorCodes.invalidParams, protocolErrors.noUri);
    if (method === "resources/subscribe") await this.add(uri, { hasList: false, uris: [uri] });
    else {
      finish(this.ends.get(uri));
      this.ends.delete(uri);
    }
    return {};
  }

  /** Serves the request `subscriptions/listen`, which lasts until the client cancels it. */
  async listen(id: string | number, filter: unknown, signal: AbortSignal): Promise<object> {
    const { resourcesListChanged, resourceSubscriptions }: Readonly<Record<string, unknown>> = Object(filter);
    const all = Array.isArray(resourceSubscriptions) ? resourceSubscriptions : [];
    const uris = all.filter((uri) => typeof uri === "string").slice(0, limits.toolFiles);
    const hasList = resourcesListChanged === true;
    const notify = (method: string, params: object): void => {
      if (!signal.aborted)
        this.send({ jsonrpc: "2.0", method, params: { ...params, _meta: { [subscriptionKey]: id } } });
    };
    const end = await (await this.server.resources()).listen({ hasList, uris, notify });
    const honoured = {
      ...(hasList ? { resourcesListChanged: true } : {}),
      ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
    };
    notify("notifications/subscriptions/acknowledged", { notifications: honoured });
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve());
    });
    end();
    // Nobody gets the answer to a request that was cancelled.
    return {};
  }

  /** Ends the subscriptions that no request lasts for. */
  close(): void {
    for (const ending of this.ends.values()) finish(ending);
    this.ends.clear();
  }

  private async add(key: string, wanted: { readonly hasList: boolean; readonly uris: readonly string[] }) {
    const begun = this.ends.get(key);
    if (begun === undefined && this.ends.size >= limits.toolFiles)
      throw new RequestError(errorCodes.invalidParams, protocolErrors.tooMany);
    const notify = (method: string, params: object): void => this.send({ jsonrpc: "2.0", method, params });
    const ending = begun ?? this.server.resources().then((resources) => resources.listen({ ...wanted, notify }));
    this.ends.set(key, ending);
    try {
      await ending;
    } catch (error) {
      // The next request tries again.
      if (this.ends.get(key) === ending) this.ends.delete(key);
      throw error;
    }
  }
}

/** Ends a subscription once it is there. One that could not be made has no end. */
function finish(ending: Promise<() => void> | undefined): void {
  ending?.then(
    (stop) => stop(),
    () => undefined,
  );
}
