// The two annotations of org.eclipse.lsp4j.jsonrpc that Protocol.kt uses, as they are
// declared there: Debian has no package of LSP4J to compile against.
package org.eclipse.lsp4j.jsonrpc.services

@Target(AnnotationTarget.FUNCTION)
@Retention(AnnotationRetention.RUNTIME)
annotation class JsonRequest(val value: String = "", val useSegment: Boolean = true)

@Target(AnnotationTarget.FUNCTION)
@Retention(AnnotationRetention.RUNTIME)
annotation class JsonNotification(val value: String = "", val useSegment: Boolean = true)
