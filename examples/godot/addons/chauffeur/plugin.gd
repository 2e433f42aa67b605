## Adds the autoload, and the add-on's settings to the project settings, when the add-on is enabled.
@tool
extends EditorPlugin

const Settings := preload("res://addons/chauffeur/settings.gd")


func _enable_plugin() -> void:
	add_autoload_singleton("Chauffeur", "res://addons/chauffeur/chauffeur.gd")


func _disable_plugin() -> void:
	remove_autoload_singleton("Chauffeur")


func _enter_tree() -> void:
	Settings.register()
