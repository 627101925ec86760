package connect

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func (s *StandIn) messages(w http.ResponseWriter, body []byte) {
	var q struct {
		Stream   bool             `json:"stream"`
		Tools    []jsontext.Value `json:"tools"`
		Messages []struct {
			Content jsontext.Value `json:"content"`
		} `json:"messages"`
	}
	_ = json.Unmarshal(body, &q)
	var came []string
	for _, m := range q.Messages {
		var parts []struct {
			Type    string         `json:"type"`
			Content jsontext.Value `json:"content"`
		}
		_ = json.Unmarshal(m.Content, &parts)
		for _, p := range parts {
			if p.Type == "tool_result" {
				came = append(came, words(p.Content))
			}
		}
	}
	s.came(came)
	block, delta, stop := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": "done"}, "end_turn"
	tool := s.tool(q.Tools, "Bash", "bash")
	if args := ""; tool != "" {
		if args = s.next("command"); args != "" {
			block = object{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", s.asked), "name": tool, "input": object{}}
			delta, stop = object{"type": "input_json_delta", "partial_json": args}, "tool_use"
		}
	}
	message := object{"id": "msg_1", "type": "message", "role": "assistant", "model": "stand-in", "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": 1, "output_tokens": 1}}
	if !q.Stream {
		message["content"], message["stop_reason"] = []any{object{"type": "text", "text": "ok"}}, "end_turn"
		reply(w, "application/json", encoded(message))
		return
	}
	events(w, []object{
		{"type": "message_start", "message": message},
		{"type": "content_block_start", "index": 0, "content_block": block},
		{"type": "content_block_delta", "index": 0, "delta": delta},
		{"type": "content_block_stop", "index": 0},
		{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 1}},
		{"type": "message_stop"},
	})
}

// events is a stream of server-sent events.
func events(w http.ResponseWriter, list []object) {
	var b strings.Builder
	for _, e := range list {
		if kind, ok := e["type"].(string); ok {
			b.WriteString("event: " + kind + "\n")
		}
		b.WriteString("data: " + encoded(e) + "\n\n")
	}
	reply(w, "text/event-stream", b.String())
}

// tool is the first of the names that the agent offers.
func (s *StandIn) tool(offered []jsontext.Value, names ...string) string {
	all := ""
	for _, t := range offered {
		all += string(t)
	}
	for _, name := range names {
		if strings.Contains(all, `"name":"`+name+`"`) {
			return name
		}
	}
	return ""
}

func (s *StandIn) responses(w http.ResponseWriter, body []byte) {
	var q struct {
		Tools []jsontext.Value `json:"tools"`
		Input []struct {
			Type   string         `json:"type"`
			Output jsontext.Value `json:"output"`
		} `json:"input"`
	}
	_ = json.Unmarshal(body, &q)
	var came []string
	for _, i := range q.Input {
		if strings.HasSuffix(i.Type, "_output") {
			came = append(came, words(i.Output))
		}
	}
	s.came(came)
	tool := s.tool(q.Tools, "exec_command", "shell_command")
	name := map[string]string{"exec_command": "cmd"}[tool]
	if name == "" {
		name = "command"
	}
	item := object{"type": "message", "id": "m1", "role": "assistant", "content": []any{object{"type": "output_text", "text": "done"}}}
	if args := s.next(name); args != "" && tool != "" {
		item = object{"type": "function_call", "id": fmt.Sprintf("fc%d", s.asked), "call_id": fmt.Sprintf("c%d", s.asked), "name": tool, "arguments": args}
	}
	usage := object{"input_tokens": 1, "input_tokens_details": nil, "output_tokens": 1, "output_tokens_details": nil, "total_tokens": 2}
	events(w, []object{
		{"type": "response.created", "response": object{"id": "r1"}},
		{"type": "response.output_item.done", "item": item},
		{"type": "response.completed", "response": object{"id": "r1", "usage": usage}},
	})
}

func (s *StandIn) completions(w http.ResponseWriter, body []byte) {
	var q struct {
		Stream   bool             `json:"stream"`
		Tools    []jsontext.Value `json:"tools"`
		Messages []struct {
			Role    string         `json:"role"`
			Content jsontext.Value `json:"content"`
		} `json:"messages"`
	}
	_ = json.Unmarshal(body, &q)
	var came []string
	for _, m := range q.Messages {
		if m.Role == "tool" {
			came = append(came, words(m.Content))
		}
	}
	s.came(came)
	message, stop := object{"role": "assistant", "content": "done"}, "stop"
	if tool := s.tool(q.Tools, "bash", "run_shell_command", "shell", "Bash", "run_commands"); tool != "" {
		name := "command"
		if tool == "run_commands" {
			name = "commands"
		}
		if args := s.next(name); args != "" {
			call := object{"index": 0, "id": fmt.Sprintf("call_%d", s.asked), "type": "function", "function": object{"name": tool, "arguments": args}}
			message, stop = object{"role": "assistant", "content": nil, "tool_calls": []any{call}}, "tool_calls"
		}
	}
	usage := object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
	base := object{"id": "c1", "created": 1, "model": "stand-in"}
	if !q.Stream {
		base["object"], base["choices"] = "chat.completion", []any{object{"index": 0, "message": message, "finish_reason": stop}}
		base["usage"] = usage
		reply(w, "application/json", encoded(base))
		return
	}
	base["object"], base["choices"] = "chat.completion.chunk", []any{object{"index": 0, "delta": message, "finish_reason": nil}}
	out := "data: " + encoded(base) + "\n\n"
	base["choices"] = []any{object{"index": 0, "delta": object{}, "finish_reason": stop}}
	base["usage"] = usage // before the last it would end the answer for some
	reply(w, "text/event-stream", out+"data: "+encoded(base)+"\n\ndata: [DONE]\n\n")
}

func (s *StandIn) gemini(w http.ResponseWriter, body []byte, stream bool) {
	var q struct {
		Tools    []jsontext.Value `json:"tools"`
		Contents []struct {
			Parts []struct {
				Response *struct {
					Response jsontext.Value `json:"response"`
				} `json:"functionResponse"`
			} `json:"parts"`
		} `json:"contents"`
	}
	_ = json.Unmarshal(body, &q)
	var came []string
	for _, c := range q.Contents {
		for _, p := range c.Parts {
			if p.Response != nil {
				came = append(came, words(p.Response.Response))
			}
		}
	}
	s.came(came)
	part := object{"text": "done"}
	if tool := s.tool(q.Tools, "run_shell_command"); tool != "" {
		if args := s.next("command"); args != "" {
			part = object{"functionCall": object{"name": tool, "args": jsontext.Value(args)}}
		}
	}
	answer := encoded(object{
		"candidates":    []any{object{"content": object{"role": "model", "parts": []any{part}}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
	})
	if !stream {
		reply(w, "application/json", answer)
		return
	}
	reply(w, "text/event-stream", "data: "+answer+"\n\n")
}

// words is the text in a result, whatever its form.
func words(v jsontext.Value) string {
	var text string
	if json.Unmarshal(v, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(v, &parts) == nil {
		for _, p := range parts {
			text += p.Text
		}
		return text
	}
	var o struct {
		Output string `json:"output"`
		Error  string `json:"error"`
	}
	if json.Unmarshal(v, &o) == nil && o.Output+o.Error != "" {
		return o.Output + o.Error
	}
	return string(v)
}
