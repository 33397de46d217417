package anchor

import "strings"

// properties are the names in lower case by which scripts know something of the
// window, the document or any object.
var properties = func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(`
		alert all anchors animate append applets apply arguments atob blur body btoa call caller caches chrome clear
		clipboard close closed confirm console constructor cookie crypto current customelements define designmode dir doctype
		document documenturi domain embeds eval event exports external fetch find focus fonts forms frames fullscreen global
		globalthis head hidden history host images implementation length links load localname location locationbar
		matchmedia menubar module moveby moveto name navigation navigator nodename nodetype normalize object onblur onclick
		onerror onfocus onload open opener origin parent performance personalbar plugins postmessage prefix prepend print
		process prompt prototype range referrer require resizeby resizeto scheduler screen screenx screeny scripts scroll
		scrollbars scrollby scrollto scrollx scrolly self status statusbar stop stylesheets symbol timeline title toolbar
		top tostring trustedtypes undefined url valueof visualviewport window write writeln`) {
		names[name] = true
	}
	return names
}()
