// Policy files in the editor: `pillion policy lsp` marks, mends, completes and explains them.
// A client of its own, because vscode-languageclient is larger than all of this extension.

import * as vscode from "vscode";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter, type MessageConnection } from "vscode-jsonrpc/node";

import { ended, inTime, startChild } from "./child.js";
import { server } from "./config.js";
import { locate } from "./server-locator.js";

const files: vscode.DocumentFilter[] = ["**/.pillion.toml", "**/pillion/policy.toml"].map((pattern) => ({ scheme: "file", pattern }));

export const isPolicy = (document: vscode.TextDocument): boolean => vscode.languages.match(files, document) > 0;

interface Place { line: number; character: number }
interface Span { start: Place; end: Place }
interface Edit { range: Span; newText: string }
interface Mark { range: Span; severity: number; source: string; message: string }
interface Item { label: string; kind: number; documentation?: string; filterText: string; textEdit: Edit }
interface Action { title: string; isPreferred: boolean; edit: { changes: Record<string, Edit[]> } }
interface Capabilities { completionProvider: { triggerCharacters: string[] } }

const range = ({ start, end }: Span) => new vscode.Range(start.line, start.character, end.line, end.character);
const named = (document: vscode.TextDocument) => ({ textDocument: { uri: document.uri.toString() } });

export class PolicyFiles implements vscode.HoverProvider, vscode.CompletionItemProvider, vscode.CodeActionProvider {
  private readonly marks = vscode.languages.createDiagnosticCollection("pillion");
  private readonly subscriptions: vscode.Disposable[] = [this.marks];
  private connection: Promise<MessageConnection | undefined> | undefined;
  private offered = false;
  private closed = false;

  constructor(private readonly extensionPath: string, private readonly log: (message: string) => void) {
    this.subscriptions.push(
      vscode.workspace.onDidOpenTextDocument((document) => this.opened(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.tell(document, "didChange", {
        textDocument: { uri: document.uri.toString(), version: document.version }, contentChanges: [{ text: document.getText() }],
      })),
      vscode.workspace.onDidSaveTextDocument((document) => {
        this.opened(document);
        this.tell(document, "didSave", named(document));
      }),
      vscode.workspace.onDidCloseTextDocument((document) => this.tell(document, "didClose", named(document))),
    );
    vscode.workspace.textDocuments.forEach((document) => this.opened(document));
  }

  dispose(): void {
    this.closed = true;
    for (const each of this.subscriptions) each.dispose();
    void this.connection?.then((connection) => connection?.end()); // its input: the server ends with it
  }

  /** The first one starts the server; so does the next one after a server that ended. */
  private opened(document: vscode.TextDocument): void {
    if (!isPolicy(document)) return;
    if (this.connection) return this.tell(document, "didOpen", whole(document));
    this.connection = this.start().catch((error: Error) => {
      this.connection = undefined;
      this.log(`no help with policy files: ${error.message}`);
      return undefined;
    });
  }

  private async start(): Promise<MessageConnection> {
    const { places, env } = server(this.extensionPath);
    const child = await startChild((await locate(places)).path, ["policy", "lsp"], env);
    child.stderr.resume();
    const connection = createMessageConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
    connection.onError(([error]) => this.log(`policy files: ${error.message}`));
    connection.onNotification("textDocument/publishDiagnostics", ({ uri, diagnostics }: { uri: string; diagnostics: Mark[] }) => {
      if (!this.closed) this.marks.set(vscode.Uri.parse(uri), diagnostics.map(mark));
    });
    void ended(child).then((how) => {
      connection.dispose();
      this.connection = undefined;
      if (this.closed) return;
      this.marks.clear();
      this.log(`the server for policy files ${how}`);
    });
    connection.listen();
    const { capabilities } = await inTime(child, connection.sendRequest<{ capabilities: Capabilities }>("initialize", {
      processId: process.pid, rootUri: null, capabilities: {},
    }));
    this.offer(capabilities);
    await connection.sendNotification("initialized", {});
    for (const document of vscode.workspace.textDocuments.filter(isPolicy)) {
      await connection.sendNotification("textDocument/didOpen", whole(document));
    }
    return connection;
  }

  private offer(capabilities: Capabilities): void {
    if (this.offered || this.closed) return;
    this.offered = true;
    this.subscriptions.push(
      vscode.languages.registerHoverProvider(files, this),
      vscode.languages.registerCompletionItemProvider(files, this, ...capabilities.completionProvider.triggerCharacters),
      vscode.languages.registerCodeActionsProvider(files, this, { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] }),
    );
  }

  private tell(document: vscode.TextDocument, what: string, params: object): void {
    if (!isPolicy(document)) return;
    void this.connection?.then((connection) => connection?.sendNotification(`textDocument/${what}`, params)).catch(() => {});
  }

  private async ask<T>(document: vscode.TextDocument, what: string, params: object, token: vscode.CancellationToken): Promise<T | null> {
    const connection = await this.connection;
    return connection ? connection.sendRequest<T | null>(`textDocument/${what}`, { ...named(document), ...params }, token) : null;
  }

  async provideHover(document: vscode.TextDocument, position: vscode.Position, token: vscode.CancellationToken): Promise<vscode.Hover | null> {
    const said = await this.ask<{ contents: { value: string }; range: Span }>(document, "hover", { position }, token);
    return said && new vscode.Hover(new vscode.MarkdownString(said.contents.value), range(said.range));
  }

  async provideCompletionItems(document: vscode.TextDocument, position: vscode.Position, token: vscode.CancellationToken): Promise<vscode.CompletionItem[]> {
    const items = await this.ask<Item[]>(document, "completion", { position }, token) ?? [];
    return items.map(({ label, kind, documentation, filterText, textEdit }) => Object.assign(
      new vscode.CompletionItem(label, kind - 1), // LSP's kinds begin with 1
      { documentation, filterText, insertText: textEdit.newText, range: range(textEdit.range) },
    ));
  }

  async provideCodeActions(document: vscode.TextDocument, at: vscode.Range, context: vscode.CodeActionContext, token: vscode.CancellationToken): Promise<vscode.CodeAction[]> {
    const asked = { range: { start: at.start, end: at.end }, context: { diagnostics: [] } };
    const actions = await this.ask<Action[]>(document, "codeAction", asked, token) ?? [];
    return actions.map(({ title, isPreferred, edit }) => {
      const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
      action.isPreferred = isPreferred;
      action.diagnostics = context.diagnostics.filter(({ source }) => source === "pillion");
      action.edit = new vscode.WorkspaceEdit();
      for (const { range: where, newText } of Object.values(edit.changes).flat()) action.edit.replace(document.uri, range(where), newText);
      return action;
    });
  }
}

function whole(document: vscode.TextDocument): object {
  return { textDocument: { uri: document.uri.toString(), languageId: document.languageId, version: document.version, text: document.getText() } };
}

function mark({ range: where, severity, source, message }: Mark): vscode.Diagnostic {
  return Object.assign(new vscode.Diagnostic(range(where), message, severity - 1), { source }); // LSP's severities begin with 1
}
