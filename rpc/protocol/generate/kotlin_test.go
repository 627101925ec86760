package main

import (
	"strings"
	"testing"
)

func TestEveryKindOfMemberInKotlin(t *testing.T) {
	for name, tc := range map[string]struct{ source, want string }{
		"a required and an optional member": {
			"// T is it.\ntype T struct {\n\tA string `json:\"a\"` // what\n\tB bool `json:\"b,omitzero\"`\n\tC int `json:\"c,omitempty\"`\n}",
			"/** T is it. */\ndata class T(\n    /** what */\n    val a: String,\n    val b: Boolean? = null,\n    val c: Int? = null,\n)\n",
		},
		"null and absent are two": {
			"type T struct {\n\tA *int64 `json:\"a\"`\n\tB Nullable[string] `json:\"b,omitzero\"`\n\tC map[string]Nullable[string] `json:\"c,omitzero\"`\n}",
			"    @field:Present val a: SafeInteger? = null,\n    val b: Maybe<String>? = null,\n    val c: Map<String, String?>? = null,\n",
		},
		"bytes, lists and anything": {
			"type T struct {\n\tA []byte `json:\"a\"`\n\tB [][]string `json:\"b\"`\n\tC jsontext.Value `json:\"c\"`\n}",
			"    val a: Base64,\n    val b: List<List<String>>,\n    val c: JsonElement,\n",
		},
		"a token": {
			"// ID is an id.\n//\n//wire:type string | integer\ntype ID struct{ raw string }\ntype T struct {\n\tA ID `json:\"a\"`\n}",
			"/** ID is an id. */\ntypealias ID = JsonPrimitive\n",
		},
		"members of what is embedded": {
			"type Base struct {\n\tA string `json:\"a\"`\n}\ntype T struct {\n\tBase\n\tB string `json:\"b\"`\n}",
			"data class T(\n    val a: String,\n    val b: String,\n)\n",
		},
		"constants": {
			"// Mode is one.\ntype Mode string\n\nconst (\n\tOn Mode = \"turnedOn\" // it is on\n\tOff Mode = \"$off\"\n)\ntype T struct {\n\tA Mode `json:\"a\"`\n}",
			"enum class Mode(override val word: String) : Word {\n    /** it is on */\n    TURNED_ON(\"turnedOn\"),\n    _OFF(\"\\$off\"),\n    /** of a newer server; it can't be sent */\n    OTHER(\"\"),\n}\n",
		},
		"a union of structures": {
			"type B struct {\n\tType string `json:\"type\" wire:\"'b'\"`\n}\ntype C struct {\n\tKind string `json:\"kind\" wire:\"'c' | 'd'\"`\n}\ntype T struct {\n\tA any `json:\"a\" wire:\"B | C\"`\n}",
			"    TA::class.java to listOf(\n        Case(B::class.java, \"type\", listOf(\"b\")),\n        Case(C::class.java, \"kind\", listOf(\"c\", \"d\")),\n    ),\n)\n\n/** One of several types. */\nsealed interface TA\n\ndata class B(\n    val type: String = \"b\",\n) : TA\n",
		},
		"a union that nothing tells apart": {
			"type B struct {\n\tX int `json:\"x\"`\n}\ntype T struct {\n\tA any `json:\"a\" wire:\"B | T\"`\n}",
			"data class T(\n    val a: JsonElement,\n)\n",
		},
		"names that Kotlin has another use for": {
			"type T struct {\n\tA string `json:\"in\"`\n\tB string `json:\"a-b\"`\n}",
			"    val `in`: String,\n    @SerializedName(\"a-b\") val a_b: String,\n",
		},
		"a comment can neither end nor begin one": {
			"// T is */ it, or \"git/*\".\ntype T struct {\n\tA string `json:\"a\"`\n}",
			"/** T is *&#47; it, or \"git/&#42;\". */\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := sample(t, tc.source)
			if err != nil {
				t.Fatal(err)
			}
			if got := kotlin(m, ""); !strings.Contains(got, tc.want) {
				_, body, _ := strings.Cut(got, "private val unions")
				t.Errorf("no\n%s\nin\n%s", tc.want, body)
			}
		})
	}
}
