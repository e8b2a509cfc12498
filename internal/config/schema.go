package config

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Schema returns the JSON schema of graphc.yaml, which editors use for
// completion and checking.
func Schema() ([]byte, error) {
	s := schemaOf(reflect.TypeFor[Config]())
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = FileName
	s["properties"].(map[string]any)["version"].(map[string]any)["const"] = Version
	data, err := json.MarshalIndent(s, "", "  ")
	return append(data, '\n'), err
}

func schemaOf(t reflect.Type) map[string]any {
	text := map[string]any{"type": "string"}
	switch t {
	case reflect.TypeFor[Paths]():
		return map[string]any{"oneOf": []any{text, map[string]any{"type": "array", "items": text, "minItems": 1}}}
	case reflect.TypeFor[Sizes]():
		size := map[string]any{"type": []string{"integer", "string"}}
		return map[string]any{"oneOf": []any{text, map[string]any{"type": "integer"}, map[string]any{"type": "array", "items": size}}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": schemaOf(t.Elem())}
	case reflect.Struct:
		return schemaOfStruct(t)
	}
	return text
}

func schemaOfStruct(t reflect.Type) map[string]any {
	props := map[string]any{}
	required := []string{}
	for i := range t.NumField() {
		f := t.Field(i)
		key := fieldKey(f)
		if key == "-" {
			continue
		}
		p := schemaOf(f.Type)
		p["description"] = f.Tag.Get("doc")
		if e := f.Tag.Get("enum"); e != "" {
			p["enum"] = strings.Split(e, ",")
		}
		if f.Tag.Get("required") == "true" {
			required = append(required, key)
		}
		props[key] = p
	}
	s := map[string]any{"type": "object", "properties": props, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	if short(t) >= 0 {
		return map[string]any{"oneOf": []any{map[string]any{"type": "string"}, s}}
	}
	return s
}
